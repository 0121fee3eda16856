import { toSnakeCase } from "drizzle-orm/casing";
import type { Sql } from "postgres";
import type { messageQuarters, pricedQuarters } from "@/db/schema";
import type { DaySpan } from "./day-spans";
import type { Quarter } from "./quarters-to-count";

/** Two tables of the same counts: each of their columns, and what it is of the messages `m` of a quarter. */
export type RollUp = {
  quarters: string;
  days: string;
  keys: Record<string, string>;
  counts: Record<string, string>;
  where: string;
};

/** A column that is added to the table does not compile without its value. */
type KeysOf<Table extends typeof messageQuarters | typeof pricedQuarters> = Record<
  Exclude<keyof Table["_"]["columns"], "workspaceId" | "mode" | "startsAt" | "count" | "delivered">,
  string
>;

export const TABLES: RollUp[] = [
  {
    quarters: "messages_by_quarter",
    days: "messages_by_day",
    keys: {
      status: "m.status",
      failureCode: "coalesce(m.failure_code, 0)",
      phoneNumberId: "m.phone_number_id",
      apiKeyId: "coalesce(m.api_key_id, '')",
      type: "m.type",
      templateName: "coalesce(m.template_name, '')",
      templateLanguage: "coalesce(m.template_language, '')",
    } satisfies KeysOf<typeof messageQuarters>,
    counts: { count: "count(*)" },
    where: "true",
  },
  {
    quarters: "priced_by_quarter",
    days: "priced_by_day",
    keys: {
      phoneNumberId: "m.phone_number_id",
      apiKeyId: "coalesce(m.api_key_id, '')",
      templateName: "coalesce(m.template_name, '')",
      country: "coalesce(m.recipient_country, '')",
      // Until 0.7 categories were stored as webhooks spell them: `authentication-international`.
      category: "replace(lower(m.pricing_category), '-', '_')",
      type: "coalesce(m.pricing_type, '')",
      billable: "m.pricing_billable",
    } satisfies KeysOf<typeof pricedQuarters>,
    counts: { count: "count(*)", delivered: "count(*) filter (where m.status in ('DELIVERED', 'READ'))" },
    where: "m.priced_at is not null",
  },
];

export function namesOf(columns: Record<string, string>): string[] {
  return Object.keys(columns).map(toSnakeCase);
}

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
