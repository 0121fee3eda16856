import type { Sql } from "postgres";
import { inTransaction } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";
import { DueWork } from "@/lib/core/due-work";
import { log } from "@/lib/core/log";
import { maskNumbers } from "@/lib/core/phone";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import { type PricingReport, readPricing } from "@/lib/whatsapp/pricing-analytics";

/** Days before today that are read each time: WhatsApp corrects its counts for some days. */
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_READERS = 2;
/** Spreads accounts that become due at the same time. */
const SPREAD_MINUTES = 30;
const MAX_ERROR_CHARACTERS = 500;

type Account = { workspaceId: WorkspaceId; account: string };

/** Adds each connected account to the queue; its first read is due in a day, when there is something to compare. */
export function queueCostReads(): Promise<unknown> {
  return onSql(
    (sql) => sql`
      insert into cost_reads (workspace_id, whatsapp_business_account_id, not_before)
      select distinct line.workspace_id, line.whatsapp_business_account_id, now() + interval '1 day'
      from phone_numbers line
      where line.mode = 'live' and line.disconnected_at is null and not exists (
        select from cost_reads r where r.workspace_id = line.workspace_id
          and r.whatsapp_business_account_id = line.whatsapp_business_account_id)
      on conflict do nothing`,
    { pool: "webhooks" },
  );
}

/** Reads what WhatsApp counted of each account that is due, once a day. Never throws. */
export function readReportedCosts(): Promise<void> {
  return reads.run(MAX_READERS);
}

const readNext = async (): Promise<boolean> => {
  const due = await onSql((sql) => claim(sql), { pool: "webhooks" });
  if (due) await readAccount(due);
  return due !== undefined;
};

const reads = new DueWork(readNext, { most: MAX_READERS, failure: "costs.reads-stopped" });

/** Takes the account for a day, whether or not the read succeeds. */
const claim = async (sql: Sql): Promise<Account | undefined> => {
  const [row] = await sql<{ workspaceId: string; account: string }[]>`
    with due as (
      select r.workspace_id, r.whatsapp_business_account_id from cost_reads r
      where r.not_before <= now() and exists (
        select from phone_numbers line where line.workspace_id = r.workspace_id and line.mode = 'live'
          and line.whatsapp_business_account_id = r.whatsapp_business_account_id
          and line.disconnected_at is null and line.token_problem is null)
      order by r.not_before limit 1 for no key update of r skip locked
    )
    update cost_reads r set not_before = now() + interval '1 day' + random() * make_interval(mins => ${SPREAD_MINUTES})
    from due where r.workspace_id = due.workspace_id
      and r.whatsapp_business_account_id = due.whatsapp_business_account_id
    returning r.workspace_id as "workspaceId", r.whatsapp_business_account_id as account`;
  return row && { workspaceId: provenWorkspaceId(row.workspaceId), account: row.account };
};

const readAccount = async ({ workspaceId, account }: Account): Promise<void> => {
  const lines = await listSendingLines(workspaceId, "live");
  const line = lines.find(
    ({ whatsappBusinessAccountId, tokenProblem }) => whatsappBusinessAccountId === account && !tokenProblem,
  );
  if (!line) return;
  const until = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  const from = new Date(until.getTime() - DAYS * DAY_MS);
  const result = await readPricing(toWhatsappLine(workspaceId, line), { from, until });
  if (result.outcome === "ok") return store({ workspaceId, account }, result);
  const reason = maskNumbers(result.reason);
  log("info", "costs.not-read", { workspaceId, phoneNumberId: line.id, reason });
  await onSql(
    (sql) => sql`
      update cost_reads set last_error = ${reason.slice(0, MAX_ERROR_CHARACTERS)}
      where workspace_id = ${workspaceId} and whatsapp_business_account_id = ${account}`,
    { pool: "webhooks" },
  );
};

/** Replaces what an earlier read stored. */
const store = ({ workspaceId, account }: Account, { currency, days }: PricingReport): Promise<void> =>
  inTransaction(
    async (tx) => {
      const sql = rawSql(tx);
      await sql`
        update cost_reads set read_at = now(), currency = ${currency}, last_error = null
        where workspace_id = ${workspaceId} and whatsapp_business_account_id = ${account}`;
      await sql`
        delete from reported_days where workspace_id = ${workspaceId} and whatsapp_business_account_id = ${account}`;
      await sql`
        insert into reported_days (workspace_id, whatsapp_business_account_id, day, country, category, type, volume, cost)
        select ${workspaceId}, ${account}, day.* from json_to_recordset(${JSON.stringify(days)}::text::json)
          as day (day date, country text, category text, type text, volume int, cost numeric)`;
    },
    { pool: "webhooks" },
  );
