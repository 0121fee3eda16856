import type { Sql } from "postgres";
import { onDatabase } from "@/db/client";
import type { MessageStatus, SendPhase } from "@/db/schema/messages";
import type { TestWorkspace } from "./workspace";

/** A look into the database, or a change to it that only time or an accident would make. */
export const onRows = <T>(work: (sql: Sql) => Promise<T>): Promise<T> => onDatabase(({ $client }) => work($client));

export type MessageRow = {
  id: string;
  phase: SendPhase;
  status: MessageStatus;
  attempt: number;
  whatsapp_message_id: string | null;
  failure_reason: string | null;
  failure_code: number | null;
  unit_month: string | null;
};

/** The messages of a workspace, oldest first. */
export const messageRows = ({ workspaceId }: TestWorkspace): Promise<MessageRow[]> =>
  onRows(
    (sql) => sql<MessageRow[]>`
      select id, phase, status, attempt, whatsapp_message_id, failure_reason, failure_code, unit_month::text
      from messages where workspace_id = ${workspaceId} order by created_at, id`,
  );

/** Units that the plan counts, and rows that hold one: the two must never differ. */
export const planUnits = async ({ workspaceId }: TestWorkspace): Promise<{ used: number; held: number }> => {
  const [row] = await onRows(
    (sql) => sql<{ used: number; held: number }[]>`
      select (select coalesce(sum(used), 0)::int from usage where workspace_id = ${workspaceId}) as used,
        (select count(*)::int from messages where workspace_id = ${workspaceId} and unit_month is not null) as held`,
  );
  return row ?? { used: -1, held: -1 };
};

/** What the platform said of a message, in words; `null` lists what waits for its message. */
export const eventWords = async ({ workspaceId }: TestWorkspace, messageId: string | null): Promise<string[]> => {
  const events = await onRows(
    (sql) => sql<{ status: string }[]>`
      select status from status_events where workspace_id = ${workspaceId} and message_id is not distinct from ${messageId}
      order by status`,
  );
  return events.map(({ status }) => status);
};

/** The server that held this row is gone, and its lease is over. */
export const abandon = ({ workspaceId }: TestWorkspace, messageId: string, phase: "ACCEPTED" | "DISPATCHING") =>
  onRows(
    (sql) => sql`
      update messages set phase = ${phase}, status = 'PENDING', whatsapp_message_id = null, sent_at = null,
        failure_reason = null, failed_at = null, lease_expires_at = now() - interval '1 second'
      where workspace_id = ${workspaceId} and id = ${messageId}`,
  );
