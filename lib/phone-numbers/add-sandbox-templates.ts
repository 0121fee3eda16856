import { sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { templates } from "@/db/schema/business-accounts";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import { fixturesOf } from "@/lib/sandbox/fixture-templates";
import { readTemplate } from "@/lib/whatsapp/business-account";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** Gives a test account that has no templates those of the sandbox, so that every kind can be tried at once. */
export async function addSandboxTemplates(
  tx: Transaction,
  workspaceId: WorkspaceId,
  whatsappBusinessAccountId: string,
): Promise<void> {
  const account = { mode: "test", whatsappBusinessAccountId } as const;
  if ((await tx.$count(templates, rowsOf(templates, workspaceId, account))) > 0) return;
  const rows = fixturesOf(env().APP_URL)
    .flatMap((fixture) => readTemplate(fixture) ?? [])
    .map(({ id: whatsappTemplateId, ...record }) => ({
      ...record,
      ...account,
      workspaceId,
      id: newId("tpl"),
      whatsappTemplateId,
      syncedAt: sql`date_trunc('second', now())`,
    }));
  await tx.insert(templates).values(rows).onConflictDoNothing();
}
