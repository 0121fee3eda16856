import type { PendingQuery, Row, Sql } from "postgres";
import { databaseRefusal } from "@/db/client";
import { onSql, readInstant } from "@/db/raw-sql";
import type { MessageType, Mode } from "@/db/schema";
import { closedBy } from "@/lib/contacts/closed-by";
import { isLeftNumber } from "@/lib/contacts/left-number";
import { retry } from "@/lib/core/deadline";
import { newId } from "@/lib/core/new-id";
import type { Principal, WorkspaceId } from "@/lib/core/principal";
import { traceparent } from "@/lib/core/telemetry";
import { isCurrent, type SendableTemplate } from "@/lib/templates/sendable-template";
import { thisMonth } from "@/lib/workspaces/quota";
import { unitsOf, withQuota } from "@/lib/workspaces/take-unit";
import { type BarRow, barredPart, refuseBarred } from "./barred-marketing";
import { type NamedMessage, readNamed, type StoredNamed, selectNamed } from "./queries";

/** After this long others assume that a row's owner has died. Longer than any call to WhatsApp. */
export const LEASE_SECONDS = 60;

/** A row and its owner's fencing token: anyone with another token has lost the claim. */
export type Owned = { messageId: string; fencingToken: number };

/** The right to send a row. `isDispatched`: it marks the dispatch, too. `isLeftNumber`: a person left this number. */
export type Claim = Owned & { createdAt: Date; isDispatched: boolean; isLeftNumber: boolean };

/** The claim, or the earlier row of the idempotency key; neither after a race for the key, or a change of number or template. */
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
  type: MessageType;
  /** A first claim needs one that was recalled to be unchanged. */
  template: (SendableTemplate & { isMarketing: boolean }) | undefined;
  requestText: string;
  requestId: string;
  idempotencyKey: string | undefined;
  /** Whether the key's earlier row is to be returned: not where it was looked up before. */
  readsEarlier: boolean;
  fingerprint: Uint8Array;
  /** Set where the contact's open flow sessions are to be closed: those of one line, or all (`null`). */
  closeFlowSessions: { contactId: string; phoneNumberId: string | null } | undefined;
};

/**
 * Claims a message in one statement: its row, its plan unit, a new recipient's contact and the closing of flow sessions
 * commit atomically. If the idempotency key is taken, returns the earlier row, if it `readsEarlier`. Throws PLAN_LIMIT_EXCEEDED, and
 * CHAT_GRAPH_ERROR for a marketing template that the person may not be sent.
 */
export function claimMessage(principal: Principal, input: ClaimInput): Promise<Claiming> {
  return withQuota(principal, () =>
    retry(() => insertClaim(principal, input), { attempts: 3, retryIf: isContactRace }),
  );
}

/** A concurrent first message to the recipient created the contact first; the next attempt sees it. */
const isContactRace = (error: unknown): boolean => databaseRefusal(error)?.code === FOREIGN_KEY_VIOLATION;

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
      update messages set phase = 'DISPATCHING', dispatched_at = now(), updated_at = now(),
        lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
      where workspace_id = ${workspaceId} and id = ${messageId} and fencing_token = ${fencingToken} and phase = 'ACCEPTED'
      returning id`,
  );
  return marked.length === 1;
}

/** Returns what a first claim owns, even if its response was lost. */
export function firstOwned({ messageId }: ClaimInput): Owned {
  return { messageId, fencingToken: FIRST_TOKEN };
}

const FIRST_TOKEN = 1;
const FOREIGN_KEY_VIOLATION = "23503";

export function phaseOf(marksDispatch: boolean) {
  return marksDispatch ? "DISPATCHING" : "ACCEPTED";
}

const insertClaim = async (principal: Principal, input: ClaimInput): Promise<Claiming> => {
  const { workspaceId, apiKeyId, mode, limits } = principal;
  const { messageId, marksDispatch, template, closeFlowSessions: close } = input;
  const isMarketing = template?.isMarketing === true;
  const isUserId = !/^\d+$/.test(input.phone);
  const { idempotencyKey: key } = input;
  const [row] = await onSql((sql) => {
    // Only the parts that this claim needs: Postgres sets up each part for every execution.
    // What is barred shows whatever the key; a repeat that raced its first send is a replay all the same.
    const earlier =
      (input.readsEarlier || isMarketing) && key !== undefined
        ? selectNamed(sql, workspaceId, { mode: sql`${mode}`, by: "idempotencyKey", value: sql`${key}` })
        : undefined;
    const isNew = earlier ? sql`not exists (select from earlier)` : sql`true`;
    const isUnchanged = template?.isRecalled ? isCurrent(sql, workspaceId, template) : sql`true`;
    return sql<({ claimed_at: string | null; is_left: boolean; message?: StoredNamed | null } & Partial<BarRow>)[]>`
      with ${earlier ? sql`earlier as (${earlier}),` : sql``}
      ${input.contactId === undefined ? sql`` : currentName(sql, workspaceId, input)}
      named as (
        -- Waits for a running erasure, after which the contact no longer has this number. A replay locks
        -- nothing, because a lock would cost a disk flush at commit.
        select id from contacts where workspace_id = ${workspaceId} and phone = ${input.phone} and ${isNew} for key share
      ), known as (
        select id from named
        union all
        -- A person known to WhatsApp by this number or user id, too, who has not left it.
        select id from (
          select c.id from contacts c
          where c.workspace_id = ${workspaceId} and c.erased_at is null and not exists (select from named) and ${isNew}
            and c.id = (select min(contact_id) from contact_names n
              where n.workspace_id = ${workspaceId} and n.name = ${input.phone} and not n.is_left)
          for key share of c
        ) other
      ), ${isMarketing ? sql`${barredPart(sql, { workspaceId, mode, templateName: template.name, person: sql`known`, phone: input.phone })},` : sql``}
      claimed as (
        insert into messages (
          workspace_id, id, mode, api_key_id, phone_number_id, contact_id, phone, type, template_name, template_language,
          request, request_id, traceparent, idempotency_key, fingerprint, phase, dispatched_at, lease_expires_at, unit_month, key_unit_month
        )
        select
          ${workspaceId}, ${messageId}, ${mode}, ${apiKeyId}, ${input.phoneNumberId},
          coalesce((select id from known), ${newId("ct")}), ${input.phone}, ${input.type}, ${template?.name ?? null},
          ${template?.language ?? null}, ${input.requestText}, ${input.requestId}, ${traceparent()},
          ${key ?? null}, ${input.fingerprint}, ${phaseOf(marksDispatch)}, case when ${marksDispatch}::boolean then now() end,
          now() + make_interval(secs => ${LEASE_SECONDS}),
          case when ${mode} = 'live' then ${thisMonth(sql)} end,
          case when ${limits.monthlyCap !== undefined}::boolean then ${thisMonth(sql)} end
        where ${isNew} and ${isUnchanged}
          and ${input.contactId === undefined ? sql`true` : sql`exists (select from current_name)`}
          ${isMarketing ? sql`and not exists (select from barred)` : sql``}
        on conflict (workspace_id, mode, idempotency_key) do nothing
        returning contact_id, unit_month, key_unit_month, created_at
      ), new_contact as (
        insert into contacts (workspace_id, id, phone, whatsapp_user_id)
        select ${workspaceId}, contact_id, ${isUserId ? null : input.phone}, ${isUserId ? input.phone : null}
        from claimed where not exists (select from known)
        on conflict do nothing
      )
      ${unitsOf(sql, principal, { taker: sql`(select unit_month as month from claimed)`, keyTaker: sql`(select key_unit_month as month from claimed)` })}
      ${close ? sql`, ${closedSessions(sql, { workspaceId, mode, close, by: sql`claimed` })}` : sql``}
      select (select created_at from claimed) as claimed_at,
        ${input.contactId === undefined ? isLeftNumber(sql, workspaceId, input.phone) : sql`false`} as is_left
        ${isMarketing ? sql`, barred.*` : sql``} ${earlier ? sql`, earlier.message` : sql``}
      from (select) always ${isMarketing ? sql`left join barred on ${isUnchanged}` : sql``}
        ${earlier ? sql`left join earlier on true` : sql``}`;
  });
  if (!row) throw new Error("a claim returns one row always");
  if (row.claimed_at === null && row.message) return { earlier: readNamed(row.message) };
  refuseBarred(row, template);
  if (row.claimed_at === null) return {};
  const owned = { messageId, fencingToken: FIRST_TOKEN };
  const createdAt = readInstant(row.claimed_at);
  return { claim: { ...owned, createdAt, isDispatched: marksDispatch, isLeftNumber: row.is_left } };
};

/** Waits for a number-change notice that is being stored, and respects it. */
const currentName = (sql: Sql, workspaceId: WorkspaceId, { contactId, phone }: ClaimInput): Part => sql`
      current_name as materialized (
        select from contact_names
        where workspace_id = ${workspaceId} and name = ${phone} and contact_id = ${contactId ?? null} and not is_left
        for share
      ),`;

type Part = PendingQuery<Row[]>;

type Closing = {
  workspaceId: WorkspaceId;
  mode: Mode;
  close: NonNullable<ClaimInput["closeFlowSessions"]>;
  /** The part that has a row where the message is claimed. */
  by: Part;
};

export function closedSessions(sql: Sql, { workspaceId, mode, close, by }: Closing): Part {
  return sql`
      closed as (
        update flow_sessions set ${closedBy(sql, "send")}
        where workspace_id = ${workspaceId} and contact_id = ${close.contactId} and closed_at is null
          ${close.phoneNumberId === null ? sql`` : sql`and phone_number_id = ${close.phoneNumberId}`}
          and phone_number_id in (select id from phone_numbers where workspace_id = ${workspaceId} and mode = ${mode})
          and exists (select from ${by})
      )`;
}
