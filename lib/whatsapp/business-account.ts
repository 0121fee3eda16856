import type { z } from "zod";
import { callGraph, type WhatsappLine } from "./client";
import { type GraphFailure, toGraphFailure } from "./graph-failure";
import { Page, PhoneNumberRecord, TemplateRecord } from "./wire";

/** A template as the platform lists it; `components` are untouched. */
export type WhatsappTemplate = {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameterFormat: string;
  components: unknown[];
  qualityScore: string | null;
  rejectedReason: string | null;
};

export type WhatsappPhoneNumber = {
  id: string;
  displayPhoneNumber: string;
  verifiedName: string | null;
  qualityRating: string | null;
  status: string | null;
};

const CALL_TIMEOUT_MS = 10_000;
const PAGE_SIZE = "50";
const TEMPLATE_FIELDS = "id,name,language,status,category,parameter_format,components,quality_score,rejected_reason";
const PHONE_NUMBER_FIELDS = "id,display_phone_number,verified_name,quality_rating,status";

/**
 * Every template of the line's business account, or those of one name; each page has `timeoutMs`. `unreadable` counts records that could not be read: with any of them
 * the list is no proof that a template is gone.
 */
export const listTemplates = async (
  line: WhatsappLine,
  { name, timeoutMs = CALL_TIMEOUT_MS }: { name?: string; timeoutMs?: number } = {},
): Promise<{ outcome: "ok"; templates: WhatsappTemplate[]; unreadable: number } | GraphFailure> => {
  const filter = { fields: TEMPLATE_FIELDS, ...(name !== undefined && { name }) };
  const list = await listAll(line, "message_templates", filter, timeoutMs);
  if (list.outcome === "failed") return list;
  const templates = readable(list.records, TemplateRecord).map(fromTemplateRecord);
  return { outcome: "ok", templates, unreadable: list.records.length - templates.length };
};

/** Every number of the line's business account. */
export const listPhoneNumbers = async (
  line: WhatsappLine,
): Promise<{ outcome: "ok"; phoneNumbers: WhatsappPhoneNumber[] } | GraphFailure> => {
  const list = await listAll(line, "phone_numbers", { fields: PHONE_NUMBER_FIELDS }, CALL_TIMEOUT_MS);
  if (list.outcome === "failed") return list;
  const phoneNumbers = readable(list.records, PhoneNumberRecord).map((record) => ({
    id: record.id,
    displayPhoneNumber: record.display_phone_number,
    verifiedName: record.verified_name ?? null,
    qualityRating: record.quality_rating ?? null,
    status: record.status ?? null,
  }));
  return { outcome: "ok", phoneNumbers };
};

/** Asks the platform to send the business account's webhooks to our app; without it none ever come. */
export const subscribeApp = async (line: WhatsappLine): Promise<{ outcome: "ok" } | GraphFailure> => {
  const path = businessAccountPath(line, "subscribed_apps");
  const result = await callGraph(line, { method: "POST", path, timeoutMs: CALL_TIMEOUT_MS });
  return result.outcome === "ok" ? { outcome: "ok" } : toGraphFailure(result);
};

/** Reads one record of the platform's template list. Throws ZodError where a required field is missing. */
export const toWhatsappTemplate = (raw: unknown): WhatsappTemplate => fromTemplateRecord(TemplateRecord.parse(raw));

const listAll = async (
  line: WhatsappLine,
  edge: string,
  filter: Record<string, string>,
  timeoutMs: number,
): Promise<{ outcome: "ok"; records: unknown[] } | GraphFailure> => {
  const records: unknown[] = [];
  const seen = new Set<string>();
  let after: string | undefined;
  do {
    const query = { ...filter, limit: PAGE_SIZE, ...(after !== undefined && { after }) };
    const path = businessAccountPath(line, edge);
    const result = await callGraph(line, { method: "GET", path, query, timeoutMs });
    const page = result.outcome === "ok" ? Page.safeParse(result.body) : undefined;
    if (!page?.success) return toGraphFailure(result);
    records.push(...page.data.data);
    after = nextCursor(page.data.paging);
    if (after !== undefined && seen.has(after)) {
      return { outcome: "failed", reason: "the platform's list never ends: a cursor came twice", platform: null };
    }
    if (after !== undefined) seen.add(after);
  } while (after !== undefined);
  return { outcome: "ok", records };
};

const businessAccountPath = (line: WhatsappLine, edge: string): string =>
  `/${encodeURIComponent(line.whatsappBusinessAccountId)}/${edge}`;

/** Only the cursor is taken from `next`: the address itself could lead the token to another host. */
const nextCursor = (paging: z.infer<typeof Page>["paging"]): string | undefined => {
  if (!paging?.next) return undefined;
  if (paging.cursors?.after) return paging.cursors.after;
  return URL.canParse(paging.next) ? (new URL(paging.next).searchParams.get("after") ?? undefined) : undefined;
};

const readable = <T>(records: unknown[], schema: z.ZodType<T>): T[] =>
  records.flatMap((record) => {
    const read = schema.safeParse(record);
    return read.success ? [read.data] : [];
  });

const fromTemplateRecord = (record: z.infer<typeof TemplateRecord>): WhatsappTemplate => ({
  id: record.id,
  name: record.name,
  language: record.language,
  status: record.status,
  category: record.category,
  parameterFormat: record.parameter_format ?? "POSITIONAL",
  components: record.components ?? [],
  qualityScore: record.quality_score?.score ?? null,
  rejectedReason: record.rejected_reason === "NONE" ? null : (record.rejected_reason ?? null),
});
