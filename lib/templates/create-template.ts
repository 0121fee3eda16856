import { type SQL, sql } from "drizzle-orm";
import { databaseTime } from "@/db/raw-sql";
import { TEMPLATE_NAME, type Template, templates } from "@/db/schema";
import { AppError, invalid, refusedByPlatform } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { takeMediaShare } from "@/lib/media/media-share";
import { fetchMedia } from "@/lib/media/safe-fetch";
import { listSendingLines } from "@/lib/phone-numbers/queries";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { DraftHeader, TemplateDraft } from "@/lib/whatsapp/draft";
import { failureReason, failureSentence, toPlatformError } from "@/lib/whatsapp/errors";
import { type CreationOutcome, faultyField, submitTemplate, uploadSample } from "@/lib/whatsapp/template-creation";
import { type SampleHandles, toGraphDraftComponents } from "@/lib/whatsapp/template-payload";
import { type Author, audited } from "@/lib/workspaces/record-audit";
import { isEditable } from "./advice";
import { checkDraft } from "./authoring-rules";
import { findTemplate } from "./queries";

/** `edits`: our id of a rejected or paused template, which gets the draft's contents and keeps its name. */
type Creation = { mode: Mode; phoneNumberId: string; draft: TemplateDraft; edits?: string | undefined; by: Author };

const SAMPLE_TIMEOUT_MS = 8_000;

/**
 * Submits a template to WhatsApp through a line and stores WhatsApp's response; webhooks update it later.
 * Throws a VALIDATION_ERROR with every fault by the draft's field, or WhatsApp's error.
 */
export async function createTemplate(
  workspaceId: WorkspaceId,
  { mode, phoneNumberId, draft: given, edits, by }: Creation,
): Promise<{ templateId: string; status: string }> {
  const edited = edits === undefined ? undefined : await findEditable(workspaceId, { mode, id: edits });
  const draft = { ...given, ...(edited && { name: edited.name, language: edited.language }) };
  const issues = checkDraft(draft);
  if (issues.length > 0) throw invalid(issues);
  const line = await findLine(workspaceId, { mode, phoneNumberId, account: edited?.whatsappBusinessAccountId });
  const handles = await uploadSamples(workspaceId, line, draft);
  const beganAt = await databaseTime();
  const { whatsappTemplateId, status, category } =
    edited && mode === "test"
      ? // The sandbox keeps no templates of its own: it lists ours, so there is nothing to change there.
        { whatsappTemplateId: edited.whatsappTemplateId, status: "APPROVED", category: draft.category }
      : accepted(await submitTemplate(line, draft, { handles, edits: edited?.whatsappTemplateId }));

  const fields = {
    whatsappTemplateId,
    status,
    category,
    components: toGraphDraftComponents(draft, new Map()),
    parameterFormat: "POSITIONAL",
    qualityScore: null,
    rejectedReason: null,
    // Null, so that any later event counts as newer.
    statusChangedAt: null,
    syncedAt: null,
  };
  const identity = {
    mode,
    whatsappBusinessAccountId: line.whatsappBusinessAccountId,
    name: draft.name,
    language: draft.language,
  };
  return audited(workspaceId, by, async (tx, record) => {
    const [stored] = await tx
      .insert(templates)
      .values({ workspaceId, id: newId("tpl"), ...identity, ...fields })
      // The name was deleted before, or a sync stored the template first.
      .onConflictDoUpdate({
        target: TEMPLATE_NAME,
        set: { ...fields, ...reviewedSince(beganAt), updatedAt: sql`now()` },
      })
      .returning({ id: templates.id, status: templates.status });
    const templateId = stored?.id ?? "";
    const after = { ...identity, category, status, whatsappTemplateId };
    await record("template.submitted", templateId, { before: edited ? { status: edited.status } : null, after });
    return { templateId, status: stored?.status ?? status };
  });
}

/** Keeps the result of a review that WhatsApp reported before it returned the submission. */
function reviewedSince(beganAt: Date) {
  const isReviewed = sql`${templates.statusChangedAt} >= date_trunc('second', ${beganAt.toISOString()}::timestamptz)
    and ${templates.status} <> 'DELETED'`;
  const kept = (column: SQL) => sql`case when ${isReviewed} then ${column} end`;
  return {
    status: sql`coalesce(${kept(sql`${templates.status}`)}, excluded.status)`,
    statusChangedAt: kept(sql`${templates.statusChangedAt}`),
    rejectedReason: kept(sql`${templates.rejectedReason}`),
  };
}

async function findEditable(workspaceId: WorkspaceId, { mode, id }: { mode: Mode; id: string }): Promise<Template> {
  const template = await findTemplate(workspaceId, id);
  if (template?.mode === mode && isEditable(template.status)) return template;
  throw invalid([{ path: "name", message: "Only rejected and paused templates can be edited. Duplicate it instead." }]);
}

/** Of an edited template's own account, whichever line was chosen. */
async function findLine(
  workspaceId: WorkspaceId,
  { mode, phoneNumberId, account }: Pick<Creation, "mode" | "phoneNumberId"> & { account: string | undefined },
): Promise<WhatsappLine> {
  const lines = await listSendingLines(workspaceId, mode);
  const line = lines.find(({ id, whatsappBusinessAccountId }) =>
    account === undefined ? id === phoneNumberId : whatsappBusinessAccountId === account,
  );
  if (!line) throw invalid([{ path: "phoneNumberId", message: `Choose one of the ${mode} lines.` }]);
  return toWhatsappLine(workspaceId, line);
}

/** Uploads the media samples. The sandbox accepts URLs, because it does not check samples. */
async function uploadSamples(
  workspaceId: WorkspaceId,
  line: WhatsappLine,
  draft: TemplateDraft,
): Promise<SampleHandles> {
  const handles = new Map<string, string>();
  if (line.mode === "test") return handles;
  const share = takeMediaShare(workspaceId, "Nothing was created; try again in a few seconds.");
  try {
    for (const { field, header } of mediaHeaders(draft)) {
      const { kind: format, sample } = header;
      if (format === "none" || format === "text" || handles.has(sample)) continue;
      const fetched = await fetchMedia(sample, { format, field, timeoutMs: SAMPLE_TIMEOUT_MS, share });
      const upload = await uploadSample(line, fetched);
      if (upload.outcome === "failed") {
        const message = `The sample could not be uploaded. ${failureSentence(upload)} Nothing was created.`;
        throw refusedByPlatform("platform", message, { retryable: true });
      }
      handles.set(sample, upload.answer);
    }
    return handles;
  } finally {
    share.release();
  }
}

const mediaHeaders = (draft: TemplateDraft): { field: string; header: DraftHeader }[] => [
  { field: "header.sample", header: draft.header },
  ...draft.cards.map(({ header }, index) => ({ field: `cards.${index}.header.sample`, header })),
];

function accepted(outcome: CreationOutcome): Extract<CreationOutcome, { outcome: "ok" }> {
  if (outcome.outcome === "ok") return outcome;
  if (outcome.outcome === "not_sent") {
    const message = `Nothing was created: ${outcome.reason}. Try again once WhatsApp can be reached.`;
    throw refusedByPlatform("platform", message, { retryable: true });
  }
  if (outcome.outcome === "unknown") {
    throw new AppError(
      "SERVICE_UNAVAILABLE",
      `WhatsApp returned no usable response (${outcome.reason}). The template may have been created: sync the list to see, before you submit it again.`,
      { details: { retryable: false } },
    );
  }
  const { error, judgement } = outcome;
  const [reason, field] = [failureReason(error), faultyField(error)];
  throw refusedByPlatform(judgement.blame, `WhatsApp refused it: ${reason}`, {
    retryable: false,
    platform: toPlatformError(error),
    ...(field === undefined ? {} : { issues: [{ path: field, message: reason }] }),
  });
}
