import type { Fragment, PendingQuery, Row, Sql } from "postgres";
import { onSql, readInstant } from "@/db/raw-sql";
import { isLeftNumber } from "@/lib/contacts/names";
import { type AppError, type ErrorDetails, refusedByPlatform } from "@/lib/core/app-error";
import { errorFields, log } from "@/lib/core/log";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { quote, shorten } from "@/lib/core/text";
import { CODE_RULES } from "@/lib/whatsapp/error-codes";
import { asSentence } from "@/lib/whatsapp/wire";

/** WhatsApp's codes: it withheld a marketing message, and the person stopped them. */
export const WITHHELD = 131049;
export const STOPPED = 131050;

/** After so many tries that WhatsApp withheld, a template waits before it is sent to the same person again. */
const MAX_TRIES = 2;
const WAIT_HOURS = 24;
/** The latest messages of a person that are looked through: enough for the tries of a day, with their retries. */
const LOOKED_THROUGH = 100;
const RETRIED_DAYS = 7;

/** When and how a person stopped marketing messages. */
export type OptOut = { at: Date; source: "whatsapp" | "word" };

type Part = PendingQuery<Row[]>;

/** Why a marketing template may not be sent, as a claim reads it: all are null if it may be. */
export type BarRow = { opted_out_at: string | null; source: OptOut["source"] | null; withheld_at: string | null };

type Asked = { workspaceId: WorkspaceId; mode: Mode; templateName: string; person: Part; phone: string };

/**
 * The part `barred` of a claim: one row if a marketing template may not be sent to `person`, a part with the column `id`,
 * or to anyone else who has `phone`: until something joins two contacts of one person, each counts. So does who left it, until
 * someone else is seen with it. It sees every opt-out that was stored before the claim began.
 */
export function barredPart(sql: Sql, { workspaceId, mode, templateName, person, phone }: Asked): Part {
  const stopped = optOutIn(sql, "c", mode);
  return sql`
      barred as materialized (
        select case when w.refuse_opted_out then ${stopped.at} end as opted_out_at,
          ${stopped.source} as source, withheld.at as withheld_at
        from contacts c join workspaces w on w.id = c.workspace_id
        cross join lateral (
          -- Of one key its latest two such tries: the claim of a retry keeps the time of the one before.
          select (array_agg(try.at order by try.at desc))[${MAX_TRIES}] as at
          from (
            select c.id union all
            select id from contacts former where former.workspace_id = ${workspaceId} and former.merged_into = c.id
          ) one cross join lateral (
            select m.* from messages m
            where m.workspace_id = ${workspaceId} and m.contact_id = one.id
              and m.created_at > now() - make_interval(days => ${RETRIED_DAYS})
            order by m.created_at desc limit ${LOOKED_THROUGH}
          ) latest cross join lateral (
            values (withheld_before_at), (case when status = 'FAILED' and failure_code = ${WITHHELD} then failed_at end)
          ) try (at)
          where latest.mode = ${mode} and template_name = ${templateName}
            and try.at > now() - make_interval(hours => ${WAIT_HOURS})
        ) withheld
        where c.workspace_id = ${workspaceId} and c.id in (
            select id from ${person} as person union
            select contact_id from contact_names
            where workspace_id = ${workspaceId} and name = ${phone}
              and (not is_left or ${isLeftNumber(sql, workspaceId, phone)}))
          and (withheld.at is not null or (w.refuse_opted_out and ${stopped.at} is not null))
        order by opted_out_at limit 1
      )`;
}

/** Throws the refusal that a claim has read. `messageId`: of a retry. */
export function refuseBarred(
  row: Partial<BarRow> | undefined,
  template: { name: string } | undefined,
  messageId?: string,
) {
  const { opted_out_at = null, source = null, withheld_at = null } = row ?? {};
  const bar = { opted_out_at, source, withheld_at };
  const refusal = template && refusalOf(bar, template.name, { now: new Date(), ...(messageId && { messageId }) });
  if (refusal) throw refusal;
}

/** The refusal of `bar`, in the words and with the code of WhatsApp's own; undefined without one. `messageId`: of a retry. */
export function refusalOf(bar: BarRow, templateName: string, { now, messageId }: { now: Date; messageId?: string }) {
  const more = { refusedBy: "switchboard", ...(messageId === undefined ? {} : { messageId }) };
  if (bar.opted_out_at !== null) {
    const optOut = { at: readInstant(bar.opted_out_at), source: bar.source ?? "whatsapp" };
    return refusal(
      STOPPED,
      `The recipient stopped marketing messages, so Switchboard did not send this one. ${optOutSentence(optOut)} Nothing was sent. Send this recipient no marketing templates.`,
      { ...more, ...optOutDetails(optOut), retryable: false },
    );
  }
  if (bar.withheld_at === null) return undefined;
  const untilMs = readInstant(bar.withheld_at).getTime() + WAIT_HOURS * 3_600_000;
  const until = new Date(untilMs).toISOString();
  return refusal(
    WITHHELD,
    `WhatsApp withheld template ${quote(shorten(templateName, 60))} from this person ${MAX_TRIES} times within ${WAIT_HOURS} h, so Switchboard did not send it again. Retry after ${until} with the same Idempotency-Key.`,
    {
      ...more,
      retryAt: until,
      retryable: true,
      retryAfterSeconds: Math.max(1, Math.ceil((untilMs - now.getTime()) / 1_000)),
    },
  );
}

function refusal(code: number, message: string, details: ErrorDetails & { retryable: boolean }): AppError {
  const title = CODE_RULES.get(code)?.title ?? null;
  return refusedByPlatform("caller", message, {
    ...details,
    platform: { code, subcode: null, title, details: null, fbtraceId: null },
  });
}

const optOutSentence = ({ at, source }: OptOut): string =>
  `The person stopped them ${source === "word" ? "with a stop word" : "in WhatsApp"} at ${at.toISOString()}.`;

/** WhatsApp's reason of code 131050, with when and how the person stopped marketing messages. */
export function withOptOut(reason: string, optOut: OptOut): string {
  return `${asSentence(reason, 500)} ${optOutSentence(optOut)}`;
}

/** The same for the details of a refusal. */
export function optOutDetails({ at, source }: OptOut): ErrorDetails {
  return { optedOutAt: at.toISOString(), optOutSource: source };
}

const READ_MS = 500;

/** Returns the opt-out of a message's recipient; undefined without one, or if it cannot be read in time. */
export async function findOptOut(workspaceId: WorkspaceId, messageId: string): Promise<OptOut | undefined> {
  try {
    const [row] = await onSql(
      (sql) => {
        const stopped = optOutIn(sql, "c", sql`m.mode`);
        return sql<{ at: string | null; source: OptOut["source"] | null }[]>`
          select ${stopped.at} as at, ${stopped.source} as source
          from messages m
          join contacts was on was.workspace_id = m.workspace_id and was.id = m.contact_id
          join contacts c on c.workspace_id = was.workspace_id and c.id = coalesce(was.merged_into, was.id)
          where m.workspace_id = ${workspaceId} and m.id = ${messageId} and c.erased_at is null`;
      },
      { timeoutMs: READ_MS },
    );
    return row?.at ? { at: readInstant(row.at), source: row.source ?? "whatsapp" } : undefined;
  } catch (error) {
    log("warn", "contact.opt-out-not-read", { messageId, ...errorFields(error) });
    return undefined;
  }
}

/** Names the opt-out in WhatsApp's refusal of stopped marketing, once: a repeated event changes nothing. */
export function explained<Event extends { failure: { code: number | null; reason: string } | null }>(
  event: Event,
  { failureReason }: { failureReason: string | null },
  optOut: OptOut | null,
): Event {
  const { failure } = event;
  if (failure?.code !== STOPPED) return event;
  if (failureReason?.startsWith(failure.reason)) return { ...event, failure: { ...failure, reason: failureReason } };
  return optOut ? { ...event, failure: { ...failure, reason: withOptOut(failure.reason, optOut) } } : event;
}

/**
 * When and how a person stopped marketing messages in a mode, as columns of a contact; null if they did not.
 * Test mode has its own, so that a person who tries the word on a test line is no lost customer.
 */
export function optOutIn(sql: Sql, contact: string, mode: Mode | Fragment): { at: Fragment; source: Fragment } {
  const of = (column: string) =>
    sql`case when ${mode} = 'test' then ${sql(`${contact}.test_${column}`)} else ${sql(`${contact}.${column}`)} end`;
  return { at: of("marketing_opted_out_at"), source: of("marketing_opt_out_source") };
}
