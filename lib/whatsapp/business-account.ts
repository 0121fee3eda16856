import type { z } from "zod";
import { Deadline } from "@/lib/core/deadline";
import { askGraph, type WhatsappLine } from "./client";
import type { GraphFailure } from "./errors";
import { Page, TemplateRecord } from "./wire";

/** A template as WhatsApp lists it; `components` are untouched. */
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

type Omissible = "parameterFormat" | "qualityScore" | "rejectedReason";
export type GivenTemplate = Omit<WhatsappTemplate, Omissible> & {
  [Field in Omissible]: WhatsappTemplate[Field] | undefined;
};

const CALL_TIMEOUT_MS = 10_000;
/** An account may have 6,000 templates, which are 120 pages. */
const LIST_TIMEOUT_MS = 100_000;
const PAGE_SIZE = "50";
const TEMPLATE_FIELDS = "id,name,language,status,category,parameter_format,components,quality_score,rejected_reason";

/** `name` limits the list to one name. Each page may take `timeoutMs`. */
export type ListOptions = { name?: string | undefined; timeoutMs?: number };

/**
 * Lists the line's business account's templates, or those of one name. `unreadable` counts records that could not be
 * read: if there are any, the list does not prove that a template was deleted.
 */
export async function listTemplates(
  line: WhatsappLine,
  { name, timeoutMs = CALL_TIMEOUT_MS }: ListOptions = {},
): Promise<{ outcome: "ok"; templates: WhatsappTemplate[]; unreadable: number } | GraphFailure> {
  const filter = { fields: TEMPLATE_FIELDS, ...(name !== undefined && { name }) };
  const list = await readAllPages(line, filter, { timeoutMs, deadline: Deadline.in(LIST_TIMEOUT_MS) });
  if (list.outcome === "failed") return list;
  const templates = list.records.flatMap((record) => readTemplate(record) ?? []);
  return { outcome: "ok", templates, unreadable: list.records.length - templates.length };
}

/** Parses one record of WhatsApp's template list; undefined if a required field is missing. */
export function readTemplate(raw: unknown): WhatsappTemplate | undefined {
  const given = readGivenTemplate(raw);
  if (!given) return undefined;
  const { parameterFormat = "POSITIONAL", qualityScore = null, rejectedReason = null } = given;
  return { ...given, parameterFormat, qualityScore, rejectedReason };
}

/** The same record from another source; omitted fields are undefined and change nothing. */
export function readGivenTemplate(raw: unknown): GivenTemplate | undefined {
  const { data: record } = TemplateRecord.safeParse(raw);
  if (!record) return undefined;
  const { parameter_format, components, quality_score, rejected_reason, ...rest } = record;
  return {
    ...rest,
    parameterFormat: parameter_format ?? undefined,
    components: components ?? [],
    qualityScore: quality_score === undefined ? undefined : (quality_score?.score ?? null),
    rejectedReason: rejected_reason === "NONE" ? null : rejected_reason,
  };
}

async function readAllPages(
  line: WhatsappLine,
  filter: Record<string, string>,
  { timeoutMs, deadline }: { timeoutMs: number; deadline: Deadline },
): Promise<{ outcome: "ok"; records: unknown[] } | GraphFailure> {
  const path = `/${encodeURIComponent(line.whatsappBusinessAccountId)}/message_templates`;
  const records: unknown[] = [];
  const seen = new Set<string>();
  let after: string | undefined;
  do {
    const leftMs = Math.ceil(deadline.leftMs);
    if (leftMs <= 0) return unusable("the list did not end in time");
    const query = { ...filter, limit: PAGE_SIZE, ...(after !== undefined && { after }) };
    const page = await askGraph(line, { method: "GET", path, query, timeoutMs: Math.min(timeoutMs, leftMs) }, Page);
    if (page.outcome === "failed") return page;
    records.push(...page.answer.data);
    after = nextCursor(page.answer.paging);
    if (after !== undefined && seen.has(after)) return unusable("the list never ends: a cursor came twice");
    if (after !== undefined) seen.add(after);
  } while (after !== undefined);
  return { outcome: "ok", records };
}

const unusable = (reason: string): GraphFailure => ({ outcome: "failed", kind: "unusable", reason, platform: null });

/** Uses only the cursor of `next`: its URL could send the token to another host. */
function nextCursor(paging: z.infer<typeof Page>["paging"]): string | undefined {
  if (!paging?.next) return undefined;
  if (paging.cursors?.after) return paging.cursors.after;
  return URL.canParse(paging.next) ? (new URL(paging.next).searchParams.get("after") ?? undefined) : undefined;
}
