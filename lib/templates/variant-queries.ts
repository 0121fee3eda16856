import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { distance } from "fastest-levenshtein";
import { onDatabase, prepared } from "@/db/client";
import { type Template, templates } from "@/db/schema/business-accounts";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** Template names are unique only within a business account. */
export type NamedTemplate = { mode: Mode; whatsappBusinessAccountId: string; name: string };

/** Every language of a template, whatever its status; `version` is the transaction that wrote the row. */
export function listVariants(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId, name }: NamedTemplate,
): Promise<(Template & { version: string })[]> {
  return onDatabase((db) => variants(db).execute({ workspaceId, mode, whatsappBusinessAccountId, name }));
}

/** Returns names similar to a mistyped one, best match first. */
export async function listSimilarNames(
  workspaceId: WorkspaceId,
  { mode, whatsappBusinessAccountId, name }: NamedTemplate,
): Promise<string[]> {
  const rows = await onDatabase((db) =>
    db
      .selectDistinct({ name: templates.name })
      .from(templates)
      .where(rowsOf(templates, workspaceId, { mode, whatsappBusinessAccountId }))
      .limit(1_000),
  );
  // WhatsApp's names are lower case, so ignore case.
  const given = name.slice(0, MAX_CHARACTERS.templateName).toLowerCase();
  return rows
    .map((row) => ({ name: row.name, distance: distance(row.name.toLowerCase(), given) }))
    .filter((row) => row.distance <= Math.max(2, given.length / 4))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((row) => row.name);
}

const variants = prepared((db) =>
  db
    .select({ ...getTableColumns(templates), version: sql<string>`xmin::text` })
    .from(templates)
    .where(
      and(
        eq(templates.workspaceId, sql.placeholder("workspaceId")),
        eq(templates.mode, sql.placeholder("mode")),
        eq(templates.whatsappBusinessAccountId, sql.placeholder("whatsappBusinessAccountId")),
        eq(templates.name, sql.placeholder("name")),
      ),
    )
    .prepare("template_variants"),
);
