import type { Fragment, Sql } from "postgres";
import type { DaySpan } from "./day-spans";
import type { Quarter } from "./quarters-to-count";

/** Two tables of the same counts, and how a quarter is counted: the columns of `select` are `keys`, then `counts`. */
export type RollUp = {
  quarters: string;
  days: string;
  keys: string[];
  counts: string[];
  select: (sql: Sql) => Fragment;
  where: (sql: Sql) => Fragment;
};

export const TABLES: RollUp[] = [
  {
    quarters: "messages_by_quarter",
    days: "messages_by_day",
    keys: ["status", "failure_code", "phone_number_id", "api_key_id", "type", "template_name", "template_language"],
    counts: ["count"],
    select: (sql) => sql`m.status, coalesce(m.failure_code, 0), m.phone_number_id, coalesce(m.api_key_id, ''), m.type,
      coalesce(m.template_name, ''), coalesce(m.template_language, ''), count(*)`,
    where: (sql) => sql`true`,
  },
  {
    // Until 0.7 categories were stored as webhooks spell them: `authentication-international`.
    quarters: "priced_by_quarter",
    days: "priced_by_day",
    keys: ["phone_number_id", "api_key_id", "template_name", "country", "category", "type", "billable"],
    counts: ["count", "delivered"],
    select: (sql) => sql`m.phone_number_id, coalesce(m.api_key_id, ''), coalesce(m.template_name, ''),
      coalesce(m.recipient_country, ''), replace(lower(m.pricing_category), '-', '_'), coalesce(m.pricing_type, ''), m.pricing_billable,
      count(*), count(*) filter (where m.status in ('DELIVERED', 'READ'))`,
    where: (sql) => sql`m.priced_at is not null`,
  },
];

export function listOf(sql: Sql, names: readonly string[]) {
  return sql.unsafe(names.join(", "));
}

/** Of the same workspace and mode. */
export function isSame(sql: Sql) {
  return sql`c.workspace_id = at.workspace_id and c.mode = at.mode`;
}

/** The rows `at` of a statement. */
export function listed(sql: Sql, spans: readonly (Quarter | DaySpan)[]) {
  return sql`(
    select given."workspaceId" as workspace_id, given.mode, given."startsAt" as starts_at, given."endsAt" as ends_at
    from json_to_recordset(${JSON.stringify(spans)}::text::json)
      as given ("workspaceId" text, mode mode, "startsAt" timestamptz, "endsAt" timestamptz)) as at`;
}
