#!/usr/bin/env bash
# A counter with a label, such as refusals by reason, has no series before its first refusal, and that one makes it 1. increase() and rate()
# count from the first sample, so the first refusal of each reason is 0: an alert on `increase(…) > 0` misses it, and one that
# adds a condition for a series that was not there finds it. Needs Debian's prometheus, for promtool.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >tests.yml <<'YAML'
evaluation_interval: 15s
tests:
  - interval: 15s
    input_series:
      - { series: 'mails_refused_total{reason="535"}', values: "_x20 1x20 2x20" }
    promql_expr_test:
      - { expr: "increase(mails_refused_total[4m])", eval_time: 7m, exp_samples: [{ labels: '{reason="535"}', value: 0 }] }
      - expr: "increase(mails_refused_total[4m]) > 0"
        eval_time: 12m
        exp_samples: [{ labels: '{reason="535"}', value: 1 }]
      - expr: "mails_refused_total unless mails_refused_total offset 4m"
        eval_time: 7m
        exp_samples: [{ labels: 'mails_refused_total{reason="535"}', value: 1 }]
YAML
promtool --version 2>&1 | head -n 1
promtool test rules tests.yml >seen.txt 2>&1 || { cat seen.txt; echo "The behaviour has changed." >&2; exit 1; }
cat seen.txt
echo "the first refusal: increase 0; the second: 1; the first, as a series that was not there: found"
