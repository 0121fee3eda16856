import { onSql } from "@/db/raw-sql";
import { errorFields, log } from "@/lib/core/log";
import type { WorkspaceId } from "@/lib/core/principal";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import { readPortfolio } from "@/lib/whatsapp/phone-numbers";

/** Reads and stores the business portfolio of a line's account. What is known stays if WhatsApp does not say. Never throws. */
export async function notePortfolio(workspaceId: WorkspaceId, line: WhatsappLine): Promise<void> {
  const { whatsappBusinessAccountId } = line;
  try {
    const read = await readPortfolio(line);
    if (read.outcome === "failed" || read.answer === null) return;
    const { id, name } = read.answer;
    await onSql(
      (sql) => sql`
        update template_reads set portfolio_id = ${id}, portfolio_name = ${name}
        where workspace_id = ${workspaceId} and whatsapp_business_account_id = ${whatsappBusinessAccountId}
          and (portfolio_id, portfolio_name) is distinct from (${id}, ${name}::text)`,
      { pool: "webhooks" },
    );
  } catch (error) {
    log("warn", "portfolio.not-noted", { workspaceId, ...errorFields(error) });
  }
}
