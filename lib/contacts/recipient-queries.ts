import type { Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { shorten } from "@/lib/core/text";

/** The current numbers and user id of a contact, for a send: without names that the person has left. */
export type Recipient = {
  /** The contact's id; if it was merged, that of the remaining contact. */
  id: string;
  phone: string | null;
  /** Every current number of the person at WhatsApp. */
  numbers: string[];
  /** The newest user id that a line of the account can send to. */
  userId: string | null;
};

/** `account` is the business account of the line that sends. Throws NOT_FOUND, also for another workspace's contact. */
export async function getRecipient(workspaceId: WorkspaceId, contactId: string, account: string): Promise<Recipient> {
  const [row] = await onSql(
    (sql) => sql<Recipient[]>`
      select c.id, c.phone,
        (select coalesce(json_agg(n.name), '[]') from contact_names n
          where n.workspace_id = ${workspaceId} and n.contact_id = c.id and not n.is_left and n.name ~ '^[0-9]+$') as numbers,
        case when c.phone is null then (
          select n.name from contact_names n
          where n.workspace_id = ${workspaceId} and n.contact_id = c.id and not n.is_left and n.name !~ '^[0-9]+$'
            and (n.account in (${account}, '') or exists (${sharedId(sql, workspaceId, account)}))
          order by n.account = ${account} desc, coalesce(n.arrived_at, n.first_seen_at) desc limit 1) end as "userId"
      from contacts c
      where c.workspace_id = ${workspaceId} and c.erased_at is null and c.id = (
        select coalesce(merged_into, id) from contacts where workspace_id = ${workspaceId} and id = ${contactId})`,
  );
  if (!row) throw contactNotFound(contactId);
  return row;
}

/** Business accounts that share a user id belong to one portfolio. Compares only the first ids, for speed. */
const MAX_COMPARED = 200;
const sharedId = (sql: Sql, workspaceId: WorkspaceId, account: string) => sql`
  select from (
    select name from contact_names o
    where o.workspace_id = ${workspaceId} and o.account = n.account and o.account <> '' limit ${MAX_COMPARED}
  ) of_that join contact_names own
    on own.workspace_id = ${workspaceId} and own.name = of_that.name and own.account = ${account}`;

export function contactNotFound(contactId: string): AppError {
  return new AppError(
    "NOT_FOUND",
    `No contact "${shorten(contactId, 80)}" in this workspace. Use a contact id from the dashboard (ct_…), or send \`phone\` instead.`,
    { details: { field: "contactId", retryable: false } },
  );
}
