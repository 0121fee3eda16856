import { desc, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns-of";
import { onSql, readInstant, readRows } from "@/db/raw-sql";
import { UNHANDLED_KINDS, type UnhandledKind, unhandledWebhooks } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";

/** Webhooks of one kind and field about one line, or about an account if `phoneNumberId` is null. */
export type UnhandledGroup = {
  kind: UnhandledKind;
  field: string | null;
  phoneNumberId: string | null;
  label: string | null;
  whatsappBusinessAccountId: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
};

/** The most that are counted for a line or account and kind, the latest first. */
export const MAX_COUNTED = 1_000;

/**
 * Returns what WhatsApp sent without effect in the last 7 days about the workspace's connected lines and their business
 * accounts, latest first. A webhook that names a number belongs to the line with that number alone, or, while no workspace has
 * or had the number, to its account.
 */
export async function listUnhandledGroups(workspaceId: WorkspaceId): Promise<UnhandledGroup[]> {
  return onSql((sql) => {
    // A line may have few rows or a million. Of a range of rows the planner expects a ninth of the table, so it reads them in
    // the order of the index, and no more than are counted.
    const rows = sql<(Omit<UnhandledGroup, "firstAt" | "lastAt"> & { firstAt: string; lastAt: string })[]>`
      with line as materialized (
        select id, label, whatsapp_phone_number_id as number, whatsapp_business_account_id as account
        from phone_numbers where workspace_id = ${workspaceId} and mode = 'live' and disconnected_at is null
      ), kinds as (
        select json_array_elements_text(${JSON.stringify(UNHANDLED_KINDS)}::text::json) as kind
      ), found as (
        select line.id, line.label, line.account, latest.* from line cross join kinds cross join lateral (
          select u.kind, u.field, u.received_at from unhandled_webhooks u
          where (u.whatsapp_phone_number_id, u.kind) >= (line.number, kinds.kind)
            and (u.whatsapp_phone_number_id, u.kind) <= (line.number, kinds.kind)
          order by u.whatsapp_phone_number_id, u.kind, u.received_at desc nulls last limit ${MAX_COUNTED}
        ) latest
        union all
        select null, null, account.account, latest.* from (select distinct account from line) account
        cross join kinds cross join lateral (
          select u.kind, u.field, u.received_at from unhandled_webhooks u
          where u.whatsapp_phone_number_id is null
            and (u.whatsapp_business_account_id, u.kind) >= (account.account, kinds.kind)
            and (u.whatsapp_business_account_id, u.kind) <= (account.account, kinds.kind)
          order by u.whatsapp_business_account_id, u.kind, u.received_at desc nulls last limit ${MAX_COUNTED}
        ) latest
        union all
        select null, null, account.account, latest.* from (select distinct account from line) account
        cross join lateral (
          select u.kind, u.field, u.received_at from unhandled_webhooks u
          where u.kind = 'notConnected' and u.whatsapp_phone_number_id is not null
            and (u.whatsapp_business_account_id, u.received_at) >= (account.account, '-infinity')
            and (u.whatsapp_business_account_id, u.received_at) <= (account.account, 'infinity')
            and not exists (select from phone_numbers p where p.whatsapp_phone_number_id = u.whatsapp_phone_number_id)
          order by u.whatsapp_business_account_id, u.received_at desc nulls last limit ${MAX_COUNTED}
        ) latest
      )
      select kind, field, id as "phoneNumberId", label, account as "whatsappBusinessAccountId", count(*)::int as count,
        min(received_at) as "firstAt", max(received_at) as "lastAt"
      from found group by kind, field, id, label, account order by max(received_at) desc, kind, field, id`;
    return readRows(rows, (row) => ({ ...row, firstAt: readInstant(row.firstAt), lastAt: readInstant(row.lastAt) }));
  });
}

/** Returns those of the whole deployment without their bodies, newest first, for its operator. */
export function listUnhandled({ kind, limit }: { kind?: UnhandledKind | undefined; limit: number }) {
  const { id, receivedAt } = unhandledWebhooks;
  return onDatabase((db) =>
    db
      .select({
        id,
        at: receivedAt,
        ...columnsOf(unhandledWebhooks, "kind", "field", "reason"),
        ...columnsOf(unhandledWebhooks, "whatsappBusinessAccountId", "whatsappPhoneNumberId"),
      })
      .from(unhandledWebhooks)
      .where(kind && eq(unhandledWebhooks.kind, kind))
      .orderBy(desc(receivedAt), desc(id))
      .limit(limit),
  );
}

/** Returns a stored body as it is, for the operator; undefined if it is unknown or was deleted. */
export async function readUnhandledBody(id: string): Promise<string | undefined> {
  const [row] = await onSql((sql) => sql<{ body: Uint8Array }[]>`select body from unhandled_webhooks where id = ${id}`);
  return row && Buffer.from(row.body).toString("utf8");
}
