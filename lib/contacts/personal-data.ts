import { createHmac } from "node:crypto";
import type { Fragment, Sql } from "postgres";
import { ERASED_PHONE, REMOVED_REASON } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";

/** How the rows of a table are found that hold a person's data, and what is left in them. */
type Place = {
  /** By the ids of their contacts, messages or events, which `key` holds. */
  by: "contact" | "message" | "delivery";
  key: string;
  /** Column of a number or user id, by which the rows are found, too. */
  name?: string;
  /** By column, as SQL. */
  leaves: Readonly<Record<string, string>> | "no row";
};

const REASON = `case when failure_reason is not null then '${REMOVED_REASON}' end`;

/**
 * Every place that holds what people wrote, are called or asked for. Erasures walk it, and the retention of contents and
 * merges of contacts empty the columns that it names. A test fails on a column of the schema that is in no list.
 */
export const PERSONAL_DATA = {
  messages: {
    by: "contact",
    key: "contact_id",
    name: "phone",
    leaves: { phone: `'${ERASED_PHONE}'`, request: "null", traceparent: "null", failure_reason: REASON },
  },
  api_requests: { by: "message", key: "message_id", leaves: { body: "null", answer: "null" } },
  status_events: { by: "message", key: "message_id", leaves: { failure_reason: "null", raw: "null" } },
  webhook_attempts: { by: "delivery", key: "delivery_id", leaves: { response: "null" } },
  // Of messages; those about contacts are deleted (`eraseContactEvents`).
  webhook_deliveries: {
    by: "delivery",
    key: "id",
    leaves: {
      snapshot: `case when snapshot ->> 'failureReason' is null then snapshot
        else snapshot || jsonb_build_object('failureReason', '${REMOVED_REASON}'::text) end`,
    },
  },
  contacts: {
    by: "contact",
    key: "id",
    name: "phone",
    leaves: {
      phone: "'erased:' || id",
      ...nulls("ref", "name", "folded_name", "whatsapp_user_id", "last_inbound_at", "recent_events"),
      ...nulls("marketing_opted_out_at", "marketing_opt_out_source", "marketing_preference_at"),
      ...nulls("test_marketing_opted_out_at", "test_marketing_opt_out_source", "test_marketing_preference_at"),
    },
  },
  contact_names: { by: "contact", key: "contact_id", name: "name", leaves: "no row" },
  // Rows of the previous release.
  contact_aliases: { by: "contact", key: "contact_id", name: "wa_id", leaves: "no row" },
} as const satisfies Readonly<Record<string, Place>>;

export type PersonalTable = keyof typeof PERSONAL_DATA;

function nulls(...columns: string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, "null"]));
}

/** Returns the places whose rows are found by this, in the order of the list. */
export function placesBy(by: Place["by"]): (Place & { table: PersonalTable })[] {
  const tables = Object.keys(PERSONAL_DATA) as PersonalTable[];
  return tables.map((table) => ({ table, ...PERSONAL_DATA[table] })).filter((place) => place.by === by);
}

/** Returns the condition that a row is of one of these contacts, or of a name that is theirs alone. */
export function isTheirs(
  sql: Sql,
  { key, name }: Pick<Place, "key" | "name">,
  { own, contactIds }: { own: readonly string[]; contactIds: readonly string[] },
): Fragment {
  const isKnown = sql`${sql(key)} in ${listOf(sql, contactIds)}`;
  return name === undefined ? isKnown : sql`(${sql(name)} in ${listOf(sql, own)} or ${isKnown})`;
}

/** A list for SQL `in`; an empty one matches no id. */
export function listOf(sql: Sql, values: readonly string[]) {
  return sql(values.length > 0 ? values : [""]);
}

/** Returns the SET clause that empties a row of the table, but for some columns. */
export function emptied(sql: Sql, table: PersonalTable, { but = [] }: { but?: readonly string[] } = {}): Fragment {
  const sets = leftIn(table).filter(([column]) => !but.includes(column));
  return inList(
    sql,
    sets.map(([column, left]) => sql`${sql(column)} = ${sql.unsafe(left)}`),
  );
}

/** What is left in each column, as SQL; nothing where the row is deleted. */
export function leftIn(table: PersonalTable): [string, string][] {
  const { leaves }: Place = PERSONAL_DATA[table];
  return leaves === "no row" ? [] : Object.entries(leaves);
}

export function inList(sql: Sql, parts: readonly Fragment[]): Fragment {
  return parts.reduce((all, one) => sql`${all}, ${one}`);
}

/** Returns a keyed hash that proves an erasure to a holder of number and pepper, and hides the number. */
export function phoneDigest(workspaceId: WorkspaceId, phone: string, pepper: string): string {
  return createHmac("sha256", pepper).update(`erased phone\0${workspaceId}\0${phone}`).digest("base64url");
}
