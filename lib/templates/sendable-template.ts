import type { PendingQuery, Row, Sql } from "postgres";
import type { Template } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { setNewest } from "@/lib/core/process-wide";
import { chooseTemplate } from "./choose-template";
import { readDefinition, type TemplateDefinition } from "./definition";
import { listSimilarNames, listVariants, type NamedTemplate } from "./variant-queries";

/** What a send needs of an approved template. `version` is the transaction that wrote the row: times may be equal. */
export type SendableTemplate = Omit<Template, "components"> & {
  version: string;
  definition: TemplateDefinition;
  /** Chosen without a language, as the only approved one of its name. */
  isOnly: boolean;
  /** Read by an earlier send: it may have changed since. */
  isRecalled: boolean;
};

/** `isExact`: the language is sent as the caller wrote it. */
type Wanted = NamedTemplate & { language?: string | undefined; isExact: boolean };

/** A definition is some KB, a carousel's up to 20. */
const MAX_KEPT = 1_000;

/** The ones that were sent last are at the end. */
const kept = new Map<string, SendableTemplate>();

const keyOf = (workspaceId: WorkspaceId, { mode, whatsappBusinessAccountId, name, language }: Wanted): string =>
  JSON.stringify([workspaceId, mode, whatsappBusinessAccountId, name, language]);

/** Returns the template as this process read it last. Only for a send that then claims with `isCurrent`. */
export function recallTemplate(workspaceId: WorkspaceId, wanted: Wanted): SendableTemplate | undefined {
  const key = keyOf(workspaceId, wanted);
  const known = kept.get(key);
  if (known) setNewest(kept, key, known, MAX_KEPT);
  return known;
}

/** Reads the approved variant for a send. Throws as `chooseTemplate`. */
export async function readTemplate(workspaceId: WorkspaceId, wanted: Wanted): Promise<SendableTemplate> {
  const variants = await listVariants(workspaceId, wanted);
  const similar = variants.length > 0 ? [] : await listSimilarNames(workspaceId, wanted);
  const { components, ...row } = chooseTemplate(variants, { ...wanted, similar });
  const { id, language, version } = row;
  const isOnly = wanted.language === undefined;
  const known = recallTemplate(workspaceId, isOnly ? wanted : { ...wanted, language });
  const isSame = known?.id === id && known.version === version;
  const definition = isSame ? known.definition : readDefinition({ ...row, components });
  const template = { ...row, isOnly, isRecalled: false, definition };
  // Another spelling of the language is read each time.
  if (isOnly || wanted.language === language)
    setNewest(kept, keyOf(workspaceId, wanted), { ...template, isRecalled: true }, MAX_KEPT);
  return template;
}

/** The condition that the template has not changed since it was read, and is still the one that a send means. */
export function isCurrent(
  sql: Sql,
  workspaceId: WorkspaceId,
  { id, version, isOnly }: SendableTemplate,
): PendingQuery<Row[]> {
  const isStillOnly = sql`and not exists (
    select from templates other
    where other.workspace_id = ${workspaceId} and other.mode = t.mode and other.name = t.name and other.id <> t.id
      and other.whatsapp_business_account_id = t.whatsapp_business_account_id and upper(other.status) = 'APPROVED')`;
  return sql`exists (
    select from templates t
    where t.workspace_id = ${workspaceId} and t.id = ${id} and t.xmin = ${version}::text::xid
      ${isOnly ? isStillOnly : sql``})`;
}
