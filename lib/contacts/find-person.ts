import type { Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { AppError } from "@/lib/errors/app-error";
import type { WorkspaceId } from "@/lib/tenancy/workspace-id";

export type Given = { phone: string } | { contactId: string };
/** Everything under which one person is known: numbers and user ids, and the contacts that have them. */
export type Person = { workspaceId: WorkspaceId; identities: [string, ...string[]]; contactIds: string[] };
/** An empty list is none of the ids that there are. */
export const listOf = (sql: Sql, values: readonly string[]) => sql(values.length > 0 ? values : [""]);

const MOST_STEPS = 5;

/**
 * Follows names from contact to contact: to WhatsApp they are one person. A name that another person has by now is not followed,
 * and is not theirs to erase. Throws NOT_FOUND where a contact id leads to no one.
 */
export const findPerson = async (workspaceId: WorkspaceId, given: Given): Promise<Person> => {
  let identities = new Set("phone" in given ? [given.phone] : []);
  let contactIds = new Set("contactId" in given ? [given.contactId] : []);
  for (let step = 0; step < MOST_STEPS; step++) {
    const rows = await onSql((sql) => {
      const known = { identities: listOf(sql, [...identities]), contactIds: listOf(sql, [...contactIds]) };
      return sql<{ id: string; identities: (string | null)[]; names: string[] | null }[]>`
        with found as (
          select c.id, coalesce(c.merged_into, c.id) as person from contacts c
          where c.workspace_id = ${workspaceId} and c.erased_at is null and (
            c.id in ${known.contactIds} or c.phone in ${known.identities}
            or c.id in (
              select n.contact_id from contact_names n
              where n.workspace_id = ${workspaceId} and n.name in ${known.identities} and (not n.is_left or not exists (
                select from contact_names now
                where now.workspace_id = n.workspace_id and now.name = n.name and not now.is_left))))
        )
        select c.id, (
            select json_agg(n.name) from contact_names n
            where n.workspace_id = c.workspace_id and n.contact_id = c.id and (not n.is_left or not exists (
              select from contact_names now
              where now.workspace_id = n.workspace_id and now.name = n.name and now.contact_id <> n.contact_id and not now.is_left))
          ) as names, json_build_array(c.phone, c.whatsapp_user_id) as identities
        from contacts c
        where c.workspace_id = ${workspaceId} and c.erased_at is null
          and (c.id in (select person from found) or c.merged_into in (select person from found))`;
    });
    const before = identities.size + contactIds.size;
    const found = rows.flatMap((row) => [...row.identities, ...(row.names ?? [])]);
    identities = new Set([...identities, ...found.flatMap((identity) => identity ?? [])]);
    contactIds = new Set([...contactIds, ...rows.map(({ id }) => id)]);
    if (identities.size + contactIds.size === before) break;
  }
  const [first, ...rest] = identities;
  if (first === undefined) throw new AppError("NOT_FOUND", "No such contact in this workspace.");
  return { workspaceId, identities: [first, ...rest], contactIds: [...contactIds] };
};
