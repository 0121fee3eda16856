import type { Fragment, Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { rawSql, readInstant } from "@/db/raw-sql";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import { CLAIM_SECONDS, EVERY_SECONDS, LEAST_APART_SECONDS } from "./pace";

/** The right to read an account's templates once. `startedAt` is the database's time, and names the read. */
export type TemplateRead = {
  workspaceId: WorkspaceId;
  whatsappBusinessAccountId: string;
  /** Null for the whole list. */
  name: string | null;
  startedAt: Date;
};

type ClaimedRow = { workspace_id: string; account: string; name: string | null; started_at: string };

/** An asked read goes before a due one, unless that has waited for longer than this. */
const HEAD_START_MINUTES = 10;

/**
 * Claims the next read whose turn it is; undefined without one. Of one workspace only one account is read at a time, so
 * that its many or slow accounts leave room for others. An account of which every token is refused has no turn.
 */
export function claimDueRead(): Promise<TemplateRead | undefined> {
  return onDatabase(
    (db) =>
      db.transaction(async (tx) => {
        // One claim at a time: the next statement sees the claims of all others, so two never take one workspace's.
        const sql = rawSql(tx);
        await sql`select pg_advisory_xact_lock(hashtextextended('template reads', 0))`;
        return claim(
          sql,
          sql`
            select due.workspace_id, due.whatsapp_business_account_id as account,
              case when due.due_at > clock_timestamp() then due.asked_name end as name
            from template_reads due
            where (due.due_at <= clock_timestamp() or due.asked_at is not null) and due.not_before <= clock_timestamp()
              and (due.claimed_until is null or due.claimed_until < clock_timestamp())
              and exists (
                select from phone_numbers line where line.workspace_id = due.workspace_id and line.mode = 'live'
                  and line.whatsapp_business_account_id = due.whatsapp_business_account_id
                  and line.disconnected_at is null and line.token_problem is null)
              and not exists (
                select from template_reads other
                where other.workspace_id = due.workspace_id and other.claimed_until > clock_timestamp())
            order by least(due.asked_at - make_interval(mins => ${HEAD_START_MINUTES}), due.due_at), due.workspace_id
            limit 1 for no key update of due skip locked`,
        );
      }),
    { pool: "webhooks" },
  );
}

/**
 * Claims a read of one account for a caller that waits for it, also after failures. Undefined where it was read within the
 * last minute or is being read. A `name` gives way to a whole list that is due or asked for.
 */
export function claimReadOf(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId, name }: { whatsappBusinessAccountId: string; name: string | null },
): Promise<TemplateRead | undefined> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const sql = rawSql(tx);
      await sql`
        insert into template_reads (workspace_id, whatsapp_business_account_id, due_at, not_before)
        values (${workspaceId}, ${whatsappBusinessAccountId}, now() + ${EVERY_SECONDS} * interval '1 second', now())
        on conflict do nothing`;
      return claim(
        sql,
        sql`
          select r.workspace_id, r.whatsapp_business_account_id as account, ${name}::text as name
          from template_reads r
          where r.workspace_id = ${workspaceId} and r.whatsapp_business_account_id = ${whatsappBusinessAccountId}
            and (r.claimed_until is null or r.claimed_until < clock_timestamp())
            and (r.started_at is null or r.started_at <= clock_timestamp() - ${LEAST_APART_SECONDS} * interval '1 second')
            and (${name === null} or (r.due_at > clock_timestamp() and r.asked_at is null))
          for no key update of r`,
      );
    }),
  );
}

const claim = async (sql: Sql, chosen: Fragment): Promise<TemplateRead | undefined> => {
  const [row] = await sql<ClaimedRow[]>`
    with chosen as (${chosen})
    update template_reads r set
      started_at = clock_timestamp(),
      not_before = clock_timestamp() + ${LEAST_APART_SECONDS} * interval '1 second',
      claimed_until = clock_timestamp() + ${CLAIM_SECONDS} * interval '1 second'
    from chosen
    where r.workspace_id = chosen.workspace_id and r.whatsapp_business_account_id = chosen.account
    returning r.workspace_id, r.whatsapp_business_account_id as account, chosen.name,
      r.started_at`;
  return (
    row && {
      workspaceId: provenWorkspaceId(row.workspace_id),
      whatsappBusinessAccountId: row.account,
      name: row.name,
      startedAt: readInstant(row.started_at),
    }
  );
};
