import type { PendingQuery, Row, Sql } from "postgres";
import { databaseRefusal } from "@/db/client";
import { onSql, readInstant } from "@/db/raw-sql";
import type { Message } from "@/db/schema";
import { closedBy } from "@/db/schema/messages";
import { isLeftNumber } from "@/lib/contacts/names";
import { retry } from "@/lib/core/deadline";
import { newId } from "@/lib/core/new-id";
import type { Principal, WorkspaceId } from "@/lib/core/principal";
import { traceparent } from "@/lib/core/telemetry";
import { thisMonth } from "@/lib/limits/quota";
import { unitsOf, withQuota } from "@/lib/limits/take-unit";
import type { MADE_FIELDS } from "@/lib/messages/columns";
import { byColumn } from "@/lib/messages/columns";
import { type NamedMessage, readNamed, type StoredNamed, selectNamed } from "@/lib/messages/queries";
import type { SendRequest } from "@/lib/messages/send-request";
import { type BarRow, barredPart, refuseBarred } from "@/lib/messages/statuses/barred-marketing";
import { isCurrent, type SendableTemplate } from "@/lib/templates/sendable-template";

const FIRST_TOKEN = 1;
const FOREIGN_KEY_VIOLATION = "23503";
/** After this long others assume that a row's owner has died. Longer than any call to WhatsApp. */
const LEASE_SECONDS = 60;

/** A row and its owner's fencing token: anyone with another token has lost the claim. */
export type Owned = { messageId: string; fencingToken: number };

/** The right to send a row. `isDispatched`: it marks the dispatch, too. `isLeftNumber`: a person left this number. */
export type Claim = Owned & { createdAt: Date; isDispatched: boolean; isLeftNumber: boolean };

/** The claim, or the row that has the key already; neither after a race for the key, or a change of number or template. */
export type Claiming = { claim?: Claim | undefined; earlier?: NamedMessage };

export type ClaimInput = {
  /** Of the new row. */
  messageId: string;
  /** Set if the call to WhatsApp follows at once: after the commit no one may send the row again. */
  marksDispatch: boolean;
  phoneNumberId: string;
  phone: string;
  /** Set if the send names a contact: `phone` must be a number that they have not left when the claim is made. */
  contactId: string | undefined;
  request: SendRequest;
  /** A first claim requires a recalled one to be unchanged. */
  template: (SendableTemplate & { isMarketing: boolean }) | undefined;
  requestId: string;
  idempotencyKey: string | undefined;
  /** Whether to return the row that has the key already: false if it was looked up before. */
  readsEarlier: boolean;
  fingerprint: Uint8Array;
  /** Set where the contact's open flow sessions are to be closed: those of one line, or all (`null`). */
  closeFlowSessions: { contactId: string; phoneNumberId: string | null } | undefined;
};

/**
 * Claims a message in one statement: its row, its place in the quota, a new recipient's contact and the closing of flow
 * sessions commit atomically. If the idempotency key is taken, returns the earlier row, if it `readsEarlier`. Throws PLAN_LIMIT_EXCEEDED, and
 * CHAT_GRAPH_ERROR for a marketing template that the person may not be sent.
 */
export function claimMessage(principal: Principal, input: ClaimInput): Promise<Claiming> {
  return withQuota(principal, () =>
    retry(() => insertClaim(principal, input), { attempts: 3, retryIf: isContactRace }),
  );
}

/** A concurrent first message to the recipient created the contact first; the next attempt sees it. */
function isContactRace(error: unknown): boolean {
  return databaseRefusal(error)?.code === FOREIGN_KEY_VIOLATION;
}

/** Returns what a first claim owns, even if its response was lost. */
export function firstOwned({ messageId }: ClaimInput): Owned {
  return { messageId, fencingToken: FIRST_TOKEN };
}

/**
 * Strategy: one statement, because each further one is a round trip and a commit. When the dispatch mark became a part of it, a
 * send took 15 % less CPU (docs/decisions/0001). A part runs after those that it reads:
 *
 * 1. `earlier` reads the row that has the key, if the call did not look it up before. If there is one, no other part does
 *    anything: a lock would cost each replay a disk flush at its commit.
 * 2. `current_name`, `named` and `known` find the recipient and lock them `for key share`: an erasure or a change of number that
 *    is being stored is waited for, and sends to one person do not wait for each other.
 * 3. `barred` reads, for marketing only, the person's opt-out and what WhatsApp withheld.
 * 4. `claimed` inserts the row, if the contact still has the number and a recalled template is current. The unique index
 *    decides a race for the key: the loser inserts nothing, and looks the key up again.
 * 5. `new_contact` comes after the row that refers to it, since foreign keys are checked at the end. Of two first messages to a
 *    number the second fails there, and is repeated.
 * 6. `unit` and `key_unit` count the message. Beyond a limit their check constraint fails the whole statement. The row of
 *    the month is locked late, because the workspace's other sends wait for it; the workspace comes before the key, as everywhere.
 *
 * A part that a claim does not need is left out, because Postgres sets up each part at each execution. Microseconds in Postgres
 * on 2026-11-27 (two cores, Postgres 18, `fsync` off, one connection, median of 20 rounds of 200): text 101, with a looked-up
 * key 105, with a key in the body 115, of a contact 110, recalled template 111, text with a limit and a cap 127, text to a new
 * number 174, marketing to a person with thousands of messages 295. 54 of them insert the row (docs/benchmarks.md).
 */
async function insertClaim(principal: Principal, input: ClaimInput): Promise<Claiming> {
  const { workspaceId, mode } = principal;
  const { contactId, phone, template, idempotencyKey, marksDispatch, closeFlowSessions: close } = input;
  const isMarketing = template?.isMarketing === true;
  const [row] = await onSql((sql) => {
    const none = sql``;
    // Marketing reads it always: a repeat that raced its first send is a replay, although the person may be barred.
    const readsEarlier = (input.readsEarlier || isMarketing) && idempotencyKey !== undefined;
    const isNew = readsEarlier ? sql`not exists (select from earlier)` : sql`true`;
    const isUnchanged = template?.isRecalled ? isCurrent(sql, workspaceId, template) : sql`true`;
    const bar = isMarketing && { workspaceId, mode, templateName: template.name, person: sql`known`, phone };
    return sql<({ claimed_at: string | null; is_left: boolean; message?: StoredNamed | null } & Partial<BarRow>)[]>`
      with ${readsEarlier ? sql`${earlierPart(sql, principal, idempotencyKey)},` : none}
      ${contactId === undefined ? none : sql`${currentName(sql, workspaceId, input)},`}
      ${knownPart(sql, { workspaceId, phone, isNew })},
      ${bar ? sql`${barredPart(sql, bar)},` : none}
      claimed as (
        insert into messages ${namedValues(sql, columnsOf(sql, principal, input))}
        where ${isNew} and ${isUnchanged} ${contactId === undefined ? none : sql`and exists (select from current_name)`}
          ${bar ? sql`and not exists (select from barred)` : none}
        on conflict (workspace_id, mode, idempotency_key) do nothing
        returning contact_id, unit_month, key_unit_month, created_at
      ), new_contact as (
        insert into contacts (workspace_id, id, phone, whatsapp_user_id)
        select ${workspaceId}, contact_id, ${isUserId(phone) ? null : phone}, ${isUserId(phone) ? phone : null}
        from claimed where not exists (select from known)
        on conflict do nothing
      )
      ${unitsOf(sql, principal, {
        month: sql`(select unit_month as month from claimed)`,
        keyMonth: sql`(select key_unit_month as month from claimed)`,
      })}
      ${close ? sql`, ${closedSessions(sql, principal, { close, by: sql`claimed` })}` : none}
      select (select created_at from claimed) as claimed_at,
        ${contactId === undefined ? isLeftNumber(sql, workspaceId, phone) : sql`false`} as is_left
        ${bar ? sql`, barred.*` : none} ${readsEarlier ? sql`, earlier.message` : none}
      from (select) always ${bar ? sql`left join barred on ${isUnchanged}` : none}
        ${readsEarlier ? sql`left join earlier on true` : none}`;
  });
  if (!row) throw new Error("a claim returns one row always");
  if (row.claimed_at === null && row.message) return { earlier: readNamed(row.message) };
  refuseBarred(row, template);
  if (row.claimed_at === null) return {};
  const createdAt = readInstant(row.claimed_at);
  return { claim: { ...firstOwned(input), createdAt, isDispatched: marksDispatch, isLeftNumber: row.is_left } };
}

type Part = PendingQuery<Row[]>;
type Values = Record<string, Part | string | Uint8Array | null>;

/** The columns of a new message; all others have their default or are null. */
function columnsOf(sql: Sql, principal: Principal, input: ClaimInput): Values {
  return {
    workspace_id: principal.workspaceId,
    id: input.messageId,
    mode: principal.mode,
    contact_id: sql`coalesce((select id from known), ${newId("ct")})`,
    type: input.request.content.type,
    template_name: input.template?.name ?? null,
    request: JSON.stringify(input.request),
    ...byColumn(madeBy(input)),
    fingerprint: input.fingerprint,
    unit_month: principal.mode === "live" ? thisMonth(sql) : null,
    key_unit_month: principal.limits.monthlyCap === undefined ? null : thisMonth(sql),
    ...ownerColumns(sql, principal, input),
  };
}

function madeBy(input: ClaimInput): Pick<Message, Exclude<(typeof MADE_FIELDS)[number], "createdAt">> {
  return {
    idempotencyKey: input.idempotencyKey ?? null,
  };
}

/** The columns that each owner of a row writes, at the first claim and at a take-over. */
export function ownerColumns(sql: Sql, { apiKeyId }: Principal, input: ClaimInput): Values {
  return {
    api_key_id: apiKeyId,
    phone_number_id: input.phoneNumberId,
    phone: input.phone,
    template_language: input.template?.language ?? null,
    request_id: input.requestId,
    traceparent: traceparent(),
    lease_expires_at: leaseEnd(sql),
    ...(input.marksDispatch ? { phase: "DISPATCHING", dispatched_at: sql`now()` } : { phase: "ACCEPTED" }),
  };
}

function leaseEnd(sql: Sql): Part {
  return sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
}

/** Returns `(columns) select values` for an insert. In a fragment of its own: the driver searches the text before for a keyword. */
function namedValues(sql: Sql, values: Values): Part {
  return sql`(${sql(Object.keys(values))}) select ${sql(values)}`;
}

/** The row that has the key already. */
function earlierPart(sql: Sql, { workspaceId, mode }: Principal, idempotencyKey: string): Part {
  const value = sql`${idempotencyKey}`;
  return sql`earlier as (${selectNamed(sql, workspaceId, { mode: sql`${mode}`, by: "idempotencyKey", value })})`;
}

/** Waits for a number-change notice that is being stored, and respects it. */
function currentName(sql: Sql, workspaceId: WorkspaceId, { contactId, phone }: ClaimInput): Part {
  return sql`
      current_name as materialized (
        select from contact_names
        where workspace_id = ${workspaceId} and name = ${phone} and contact_id = ${contactId ?? null} and not is_left
        for share
      )`;
}

/** The recipient's contact, if there is one. */
function knownPart(
  sql: Sql,
  { workspaceId, phone, isNew }: { workspaceId: WorkspaceId; phone: string; isNew: Part },
): Part {
  return sql`
      named as (
        -- Waits for a running erasure, after which the contact no longer has this number. A replay locks
        -- nothing, because a lock would cost a disk flush at commit.
        select id from contacts where workspace_id = ${workspaceId} and phone = ${phone} and ${isNew} for key share
      ), known as (
        select id from named
        union all
        -- A person known to WhatsApp by this number or user id, too, who has not left it.
        select id from (
          select c.id from contacts c
          where c.workspace_id = ${workspaceId} and c.erased_at is null and not exists (select from named) and ${isNew}
            and c.id = (select min(contact_id) from contact_names n
              where n.workspace_id = ${workspaceId} and n.name = ${phone} and not n.is_left)
          for key share of c
        ) other
      )`;
}

/** A contact without a number has the id that WhatsApp gave the person. */
function isUserId(phone: string): boolean {
  return !/^\d+$/.test(phone);
}

type Closing = {
  close: NonNullable<ClaimInput["closeFlowSessions"]>;
  /** The part that has a row where the message is claimed. */
  by: Part;
};

/** The part of a claim that closes the contact's open flow sessions. */
export function closedSessions(sql: Sql, { workspaceId, mode }: Principal, { close, by }: Closing): Part {
  return sql`
      closed as (
        update flow_sessions set ${closedBy(sql, "send")}
        where workspace_id = ${workspaceId} and contact_id = ${close.contactId} and closed_at is null
          ${close.phoneNumberId === null ? sql`` : sql`and phone_number_id = ${close.phoneNumberId}`}
          and phone_number_id in (select id from phone_numbers where workspace_id = ${workspaceId} and mode = ${mode})
          and exists (select from ${by})
      )`;
}

/**
 * The dispatch mark: true once it is committed, and from then on no one may send this row again without a definite
 * refusal. False where the claim was lost; then nothing may be sent.
 */
export async function markDispatching(
  { workspaceId }: Principal,
  { messageId, fencingToken }: Claim,
): Promise<boolean> {
  const marked = await onSql(
    (sql) => sql`
      update messages set phase = 'DISPATCHING', dispatched_at = now(), updated_at = now(), lease_expires_at = ${leaseEnd(sql)}
      where workspace_id = ${workspaceId} and id = ${messageId} and fencing_token = ${fencingToken} and phase = 'ACCEPTED'
      returning id`,
  );
  return marked.length === 1;
}
