import type { Sql } from "postgres";
import type { WorkspaceId } from "@/lib/core/principal";
import { listOf } from "./personal-data";

export type Given = { phone: string } | { contactId: string };
/** All identities of one person, numbers and user ids, and the contacts that have them. */
export type Person = {
  workspaceId: WorkspaceId;
  identities: [string, ...string[]];
  /** The identities that no other contact has or had: data under them always belongs to this person. */
  own: string[];
  contactIds: string[];
};

const MAX_STEPS = 5;

/**
 * Finds a person by contact id, or by the last holder of a number. Contacts that share a current name are one
 * person, even if not merged yet. Returns undefined if a contact id matches no one.
 */
export async function findPerson(sql: Sql, workspaceId: WorkspaceId, given: Given): Promise<Person | undefined> {
  let contactIds = "contactId" in given ? [given.contactId] : await ownersOf(sql, workspaceId, given.phone);
  let names: string[] = [];
  for (let step = 0; step < MAX_STEPS; step++) {
    const rows = await sql<{ id: string; names: string[] }[]>`
        with given as (
          select coalesce(merged_into, id) as id from contacts
          where workspace_id = ${workspaceId} and erased_at is null and id in ${listOf(sql, contactIds)}
        ), person as (
          select id from given
          union
          select other.contact_id from given
          join contact_names n on n.workspace_id = ${workspaceId} and n.contact_id = given.id and not n.is_left
          join contact_names other on other.workspace_id = n.workspace_id and other.name = n.name and not other.is_left
        )
        select c.id, (
            select coalesce(json_agg(n.name), '[]') from contact_names n
            where n.workspace_id = ${workspaceId} and n.contact_id = c.id and (not n.is_left or not exists (
              select from contact_names now
              where now.workspace_id = ${workspaceId} and now.name = n.name and now.contact_id <> n.contact_id
                and not now.is_left))
          ) as names
        from contacts c
        where c.workspace_id = ${workspaceId} and c.erased_at is null
          and (c.id in (select id from person) or c.merged_into in (select id from person))`;
    const before = contactIds.length;
    contactIds = [...new Set([...contactIds, ...rows.map(({ id }) => id)])];
    names = [...new Set(rows.flatMap((row) => row.names))];
    if (contactIds.length === before) break;
  }
  const [first, ...rest] = new Set([...("phone" in given ? [given.phone] : []), ...names]);
  if (first === undefined) return undefined;
  const identities: [string, ...string[]] = [first, ...rest];
  return { workspaceId, identities, own: await unshared(sql, { workspaceId, identities, contactIds }), contactIds };
}

/** Returns the current holders of a number, else the contact that gave it up last. */
async function ownersOf(sql: Sql, workspaceId: WorkspaceId, phone: string): Promise<string[]> {
  const rows = await sql<{ contact_id: string; is_left: boolean }[]>`
    select contact_id, is_left from contact_names where workspace_id = ${workspaceId} and name = ${phone}
    order by is_left, coalesce(left_at, taken_at) desc nulls last, last_seen_at desc nulls last`;
  const owners = rows.filter((row, index) => index === 0 || !row.is_left);
  return owners.map(({ contact_id }) => contact_id);
}

async function unshared(sql: Sql, { workspaceId, identities, contactIds }: Omit<Person, "own">) {
  const shared = await sql<{ name: string }[]>`
    select name from contact_names
    where workspace_id = ${workspaceId} and name in ${listOf(sql, identities)}
      and contact_id not in ${listOf(sql, contactIds)}`;
  return identities.filter((one) => !shared.some(({ name }) => name === one));
}
