import { is } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import * as schema from "@/db/schema";
import { PERSONAL_DATA } from "@/lib/contacts/personal-data";

/** Columns of text, JSON or bytes that no erasure has to empty, by the reason. One without its table is it in each table. */
const OTHERS = {
  "ids of ours and of WhatsApp's":
    "phone_number_id api_key_id message_id subject_id whatsapp_business_account_id whatsapp_phone_number_id " +
    "whatsapp_template_id whatsapp_media_id portfolio_id request_id failure_trace_id contact_names.account " +
    "audit_log.actor_id audit_log.target_id jobs.cause",
  "secrets and digests":
    "secret factor_secret recovery_hashes previous_secret secret_hash previous_secret_hash token_hash password_hash access_token " +
    "api_keys.api_key fingerprint digest url_digest body_digest",
  "values of short lists, and words of Switchboard's or WhatsApp's about them":
    "status kind category previous_category type error_code country recipient_country currency budget_currency operation " +
    "method path pricing_type pricing_category pricing_model whatsapp_message_status parameter_format quality_score " +
    "quality_rating throughput messaging_limit time_zone days_counted_by language " +
    "template_language topic action target_kind last_error token_problem rejected_reason " +
    "webhook_attempts.failure webhook_notices.reason account_notices.event account_notices.detail",
  "what the workspace calls and sets for itself":
    "api_keys.label phone_numbers.label webhook_endpoints.label events limits reported mailed_alerts stop_words start_words template_name portfolio_name " +
    "display_phone_number verified_name account_notices.number api_keys.ref phone_numbers.ref workspaces.ref " +
    "workspaces.name templates.name templates.components webhook_endpoints.url rate_cards.rows rate_cards.changes alerts.sentence alerts.href",
  "of members, who are no contacts: their rows go with them":
    "users.email users.name invitations.email accepted_by created_by revoked_by trial_of device masked_address jobs.payload",
  "of the partner's server that calls": "ip user_agent client_request_id idempotency_key",
  "changes, of which personal fields have no values (lib/workspaces/record-audit.ts)":
    "audit_log.before audit_log.after",
  "WhatsApp's ids of messages, by which late statuses find them; they may encode a number (docs/decisions/0007)":
    "whatsapp_message_id",
  "gone ten minutes after the send, or with the next sweep": "media_uploads.file_name",
};
const HOLDS_NO_WORDS = /^(integer|smallint|bigint|numeric|boolean|date|timestamp|double precision)\b/;

/** Every column that can hold words, as `table.column`: without enums, own ids, and references to rows of ours. */
const columns = Object.values(schema).flatMap((table) => {
  if (!is(table, PgTable)) return [];
  const config = getTableConfig(table);
  const references = new Set(
    config.foreignKeys.flatMap((key) => key.reference().columns.map((column) => toSnakeCase(column.name))),
  );
  return config.columns.flatMap((column) => {
    const name = toSnakeCase(column.name);
    const isFixed = HOLDS_NO_WORDS.test(column.getSQLType()) || (column.enumValues ?? []).length > 0;
    return isFixed || name === "id" || references.has(name) ? [] : [`${config.name}.${name}`];
  });
});

const erased = Object.entries(PERSONAL_DATA).flatMap(([table, place]) =>
  (place.leaves === "no row" ? [place.name] : Object.keys(place.leaves)).map((column) => `${table}.${column}`),
);
const others = Object.values(OTHERS).flatMap((list) => list.split(" "));
const isListed = (column: string) => others.includes(column) || others.includes(column.split(".")[1] ?? "");

test("a column that can hold what people wrote or are called is emptied by erasures, or listed with the reason why not", () => {
  expect(columns.filter((column) => !erased.includes(column) && !isListed(column))).toEqual([]);
});

test("no listed column is missing in the schema, listed twice, or both emptied and not", () => {
  const all = [...columns, ...columns.map((column) => column.split(".")[1] ?? "")];
  expect(others.filter((other) => !all.includes(other))).toEqual([]);
  expect(others.filter((other, index) => others.indexOf(other) !== index)).toEqual([]);
  expect(erased.filter((column) => others.includes(column))).toEqual([]);
});
