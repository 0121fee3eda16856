import { onSql } from "@/db/raw-sql";
import { type Finding, failed, passed, warned } from "@/lib/core/finding";
import { ZONE_DATA } from "@/lib/core/local-time";
import { isTimeZone } from "@/lib/workspaces/workspace-fields";

const UPDATE =
  "Update Node, on every instance: local days, labels, filters and files follow its zone data, and nothing else does.";

/**
 * Checks that this Node's zone data has every zone in use, and is as new as any that has counted days. Postgres is not asked:
 * it computes no local time.
 */
export async function checkZones(): Promise<Finding> {
  const rows = await onSql(
    (sql) => sql<{ timeZone: string; workspaces: number; countedBy: string | null }[]>`
      select time_zone as "timeZone", count(*)::int as workspaces, max(split_part(days_counted_by, ' ', 2) collate "C") as "countedBy"
      from workspaces group by time_zone order by 1`,
  );
  return judgeZones(rows, ZONE_DATA);
}

type Zone = { timeZone: string; workspaces: number; countedBy: string | null };

/** Exported for its test. */
export function judgeZones(zones: readonly Zone[], zoneData: string): Finding {
  const own = zoneData || "of an unknown version";
  const unknown = zones.filter(({ timeZone }) => !isTimeZone(timeZone));
  if (unknown.length > 0) {
    const names = unknown.map(({ timeZone, workspaces }) => `${timeZone} (${workspaces})`).join(", ");
    return failed(
      "time zones",
      `Node’s zone data ${own} lacks zones in use, whose days are shown in UTC: ${names}`,
      UPDATE,
    );
  }
  const newest =
    zones
      .map(({ countedBy }) => countedBy ?? "")
      .toSorted()
      .at(-1) ?? "";
  if (newest <= zoneData) return passed("time zones", `Local time is computed with Node’s zone data ${own}`);
  const words = `Node’s zone data here is ${own}, and another instance’s is ${newest}: the two may show other days`;
  return warned("time zones", words, UPDATE);
}
