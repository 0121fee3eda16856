import type { Fragment, Sql } from "postgres";
import type { Span } from "@/lib/core/local-time";
import type { Mode, WorkspaceId } from "@/lib/core/principal";

const TABLES = {
  messages: { days: "messages_by_day", quarters: "messages_by_quarter" },
  priced: { days: "priced_by_day", quarters: "priced_by_quarter" },
} as const;

const COLUMNS = {
  messages: "status, failure_code, phone_number_id, api_key_id, type, template_name, template_language, count",
  priced: "phone_number_id, api_key_id, template_name, country, category, type, billable, count, delivered",
} as const;

type Counted = {
  workspaceId: WorkspaceId;
  mode: Mode;
  line?: string | undefined;
  key?: string | undefined;
  spans: readonly Span[];
};

/**
 * Selects a workspace's counts with `span`, the name of their span: of a day that is summed with the same limits its sums, of
 * any other span its quarters. Reads about as many rows as there are in the sums, whatever else the workspace has.
 */
export function countsOfSpans(
  sql: Sql,
  counts: keyof typeof TABLES,
  { workspaceId, mode, line, key, spans }: Counted,
): Fragment {
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) throw new RangeError("there is no span to count");
  const { days, quarters } = TABLES[counts];
  const columns = sql.unsafe(COLUMNS[counts].replaceAll(/(?<=^|, )/g, "c."));
  const isCounted = sql`c.workspace_id = ${workspaceId} and c.mode = ${mode}
    and c.starts_at >= ${first.since.toISOString()} and c.starts_at < ${last.until.toISOString()}
    ${line === undefined ? sql`` : sql`and c.phone_number_id = ${line}`} ${key === undefined ? sql`` : sql`and c.api_key_id = ${key}`}`;
  return sql`
    with spans as materialized (
      -- One row of each day by the index; "exists" could be hashed, which reads every day of the workspace.
      select given.*, given.until = (
        select c.ends_at from ${sql(days)} c
        where c.workspace_id = ${workspaceId} and c.mode = ${mode} and c.starts_at = given.since limit 1) as is_summed
      from json_to_recordset(${JSON.stringify(spans)}::text::json) as given (name text, since timestamptz, until timestamptz)
    )
    select spans.name as span, ${columns} from spans join ${sql(days)} c on c.starts_at = spans.since
    where spans.is_summed and ${isCounted}
    union all
    select spans.name, c.* from spans cross join lateral (
      -- With an offset, so that each span's are found by the index: a join by inequality compares every pair.
      select ${columns} from ${sql(quarters)} c
      where c.starts_at >= spans.since and c.starts_at < spans.until and ${isCounted} offset 0
    ) c where spans.is_summed is not true`;
}
