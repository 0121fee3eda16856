import { describe, expect, test } from "vitest";
import type { ProblemFacts } from "@/lib/alerts/problems";
import { problemsIn } from "@/lib/alerts/sources";
import type { LineProblem } from "@/lib/phone-numbers/health";

const NOW = new Date("2026-11-23T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

const NOTHING: ProblemFacts = {
  workspaceId: "ws_1",
  lines: [],
  portfolios: [],
  templates: [],
  keys: [],
  endpoints: [],
  quota: { used: 0, limit: null },
  budget: undefined,
  mailRefused: undefined,
  recent: { messages: 0, failed: 0 },
  now: NOW,
};

const NOT_PAUSED = { pausedAt: null, pausedBy: null, failingSince: null, listensUntil: null };
const WORKING = { id: "whe_1", label: "production", ...NOT_PAUSED };
const RECENT = { previousCategory: null, isRecentStatus: true, isRecentCategory: false };
const TEMPLATE = { id: "tpl_1", name: "sale", language: "en", category: "UTILITY", ...RECENT };

const endpoint = (facts: Partial<ProblemFacts["endpoints"][number]>): ProblemFacts => ({
  ...NOTHING,
  endpoints: [{ ...WORKING, ...facts }],
});

const AT_THE_ENDPOINT = {
  subjectId: "whe_1",
  topic: "",
  level: 0,
  weight: "alert",
  href: "/dashboard/settings/webhooks/whe_1",
  action: "See the endpoint",
};

test("nothing to do is an empty list", () => {
  expect(problemsIn(NOTHING)).toEqual([]);
});

describe("an endpoint", () => {
  const PAUSED = { pausedAt: minutesAgo(60), pausedBy: "member" as const };
  test.each([
    ["works", {}],
    ["has failed for 15 minutes", { failingSince: minutesAgo(15) }],
    ["was paused by a member", PAUSED],
    ["was paused by a member while it failed", { ...PAUSED, failingSince: minutesAgo(300) }],
  ])("that %s is not in it", (_, facts) => {
    expect(problemsIn(endpoint(facts))).toEqual([]);
  });

  test.each([
    [16, "16 min"],
    [300, "5 h"],
  ])("that has failed for %i minutes is, with the time", (minutes, words) => {
    const sentence = `Webhook production has failed for ${words}. Each event is retried for three days.`;
    expect(problemsIn(endpoint({ failingSince: minutesAgo(minutes) }))).toEqual([
      { kind: "endpoint.failing", tone: "caution", sentence, ...AT_THE_ENDPOINT },
    ]);
  });

  test.each([
    ["gone" as const, "Webhook production returned 410 Gone and is paused. Its events wait."],
    ["failing" as const, "Webhook production failed for five days and is paused. Its events wait."],
  ])("that we paused (%s) is, as the worse trouble", (pausedBy, sentence) => {
    const facts = endpoint({ pausedAt: minutesAgo(1), pausedBy, failingSince: minutesAgo(1) });
    expect(problemsIn(facts)).toEqual([{ kind: "endpoint.paused", tone: "bad", sentence, ...AT_THE_ENDPOINT }]);
  });
});

describe("a recategorized template", () => {
  const moved = (category: string, previousCategory: string | null): ProblemFacts => ({
    ...NOTHING,
    templates: [{ ...TEMPLATE, status: "APPROVED", category, previousCategory, isRecentCategory: true }],
  });

  const DEARER = "A marketing message usually costs more.*";
  test.each([
    ["UTILITY", "MARKETING", `from UTILITY to MARKETING\\. ${DEARER} expect UTILITY are refused\\.$`],
    ["MARKETING", "UTILITY", "to UTILITY\\. Its price changes with it\\. Sends that expect MARKETING are refused\\.$"],
    [null, "MARKETING", `from another one to MARKETING\\. ${DEARER} these off\\.$`],
  ])("from %s to %s says what it means for the cost", (before, after, sentence) => {
    expect(problemsIn(moved(after, before))).toMatchObject([
      { kind: "template.recategorized", weight: "alert", tone: "caution", href: "/dashboard/templates/tpl_1" },
    ]);
    expect(problemsIn(moved(after, before))[0]?.sentence).toMatch(new RegExp(sentence));
  });
});

test("what stops sends comes before everything else", () => {
  const [paused] = endpoint({ pausedAt: minutesAgo(1), pausedBy: "gone" }).endpoints;
  const problem = { tone: "bad", title: "", sentence: "Its quality is low." } as const;
  const low: LineProblem = { ...problem, kind: "line.quality", remedy: "templates" };
  const refused: LineProblem = { ...problem, kind: "token.invalid", remedy: "replaceToken", stopsSends: true };
  const facts: ProblemFacts = {
    ...NOTHING,
    endpoints: paused ? [paused] : [],
    lines: [
      { id: "pn_1", label: "Sales", problems: [low] },
      { id: "pn_2", label: "Support", problems: [refused] },
    ],
    templates: [{ ...TEMPLATE, status: "DISABLED" }],
    quota: { used: 100, limit: 100 },
  };
  expect(problemsIn(facts).map(({ stopsSends, href }) => [stopsSends ?? false, href.split("/").at(-1)])).toEqual([
    [true, "plan"],
    [true, "pn_2"],
    [false, "templates"],
    [false, "tpl_1"],
    [false, "whe_1"],
  ]);
  expect(problemsIn(facts)[0]?.sentence).toContain("blocked until 1 December");
});

test.each([
  [79.99, undefined],
  [80, "caution at least 80 % of the budget of 100.00 EUR"],
  [99.99, "caution at least 80 % of the budget of 100.00 EUR"],
  [100, "bad the whole budget of 100.00 EUR. They are still sent"],
  [250, "bad the whole budget of 100.00 EUR. They are still sent"],
])("of a budget of 100, messages of %d are an alert: %s", (spent, expected) => {
  const items = problemsIn({ ...NOTHING, budget: { spent: `${spent}`, limit: "100.00", currency: "EUR" } });
  const said = items.map(({ tone, sentence }) => `${tone} ${sentence}`);
  expect(said).toHaveLength(expected === undefined ? 0 : 1);
  for (const part of expected?.split(/(?<=^\w+) /) ?? []) expect(said[0]).toContain(part);
});

test("the worst comes first, and what is alike stays in its order", () => {
  const [paused] = endpoint({ pausedAt: minutesAgo(1), pausedBy: "gone" }).endpoints;
  const [failing] = endpoint({ id: "whe_2", failingSince: minutesAgo(30) }).endpoints;
  const facts: ProblemFacts = {
    ...NOTHING,
    templates: [
      { ...TEMPLATE, status: "PAUSED" },
      { ...TEMPLATE, id: "tpl_2", language: "de", status: "DISABLED" },
    ],
    keys: [{ id: "key_1", label: "old", age: { days: 95, isDue: true, isUnused: false, unusedDays: 0 } }],
    endpoints: [failing, paused].filter((one) => one !== undefined),
    quota: { used: 80, limit: 100 },
  };
  expect(problemsIn(facts).map(({ tone, href }) => [tone, href.split("/").at(-1)])).toEqual([
    ["bad", "tpl_2"],
    ["bad", "whe_1"],
    ["caution", "plan"],
    ["caution", "tpl_1"],
    ["caution", "key_1"],
    ["caution", "whe_2"],
  ]);
});
