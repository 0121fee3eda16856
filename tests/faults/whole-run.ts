import { type Fault, Findings } from "./fault";
import { type Change, checkHistory, judgedIn, type MessageRow } from "./history";

/**
 * Every message that any fault has left, with its real age: what WhatsApp received, the rows, and the plans' units.
 * Rows without a key were put there by a measurement, and were never sent.
 */
export const wholeRun: Fault = {
  title: "all messages of this run, at its end",
  isShort: true,
  run: async ({ sql, platform, judged }) => {
    const findings = new Findings();
    const history = await sql.begin("isolation level repeatable read read only", async (tx) => {
      const rows = await tx<MessageRow[]>`
        select id, phone as recipient, phase, status,
          extract(epoch from clock_timestamp() - created_at)::float8 as "ageSeconds"
        from messages where idempotency_key is not null`;
      const changes = await tx<Change[]>`select id, attempt, phase, status from observed_changes order by serial`;
      const [usage] = await tx<{ used: number }[]>`
        select coalesce(sum(used), 0)::int as used from usage`;
      return {
        calls: platform.calls,
        reported: [],
        rows: [...rows],
        changes: [...changes],
        answers: [],
        usedUnits: usage?.used ?? 0,
        isSwept: false,
      };
    });
    for (const invariant of judgedIn(history)) judged.add(invariant);
    findings.runs = history.rows.length;
    findings.faults.push(...checkHistory(history).map(({ invariant, what }) => `${invariant}: ${what}`));
    return findings;
  },
};
