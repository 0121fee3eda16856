import type { PlatformError } from "@/lib/core/app-error";
import { callGraph, type WhatsappLine } from "./client";
import type { TemplateDraft } from "./draft";
import { failureReason, type GraphFailure, toGraphFailure, toPlatformError } from "./errors";
import { type SampleHandles, toGraphTemplate } from "./template-payload";
import { CreationAnswer, Named, UploadedFile } from "./wire";

const CREATE_TIMEOUT_MS = 15_000;
const UPLOAD_TIMEOUT_MS = 20_000;

export type CreationOutcome =
  /** `status` and `category` are WhatsApp's; it may have changed the category. */
  | { outcome: "ok"; whatsappTemplateId: string; status: string; category: string }
  /** Nothing was created. `field` is the draft's faulty field, if WhatsApp names it. */
  | {
      outcome: "refused";
      reason: string;
      field: string | null;
      platform: PlatformError;
      isCallersFault: boolean;
    }
  /** Nothing was created: no byte of the request left this server. */
  | { outcome: "not_sent"; reason: string }
  /** It may have been created. */
  | { outcome: "unknown"; reason: string };

/** Submits a template for review. */
export async function submitTemplate(
  line: WhatsappLine,
  draft: TemplateDraft,
  handles: SampleHandles,
): Promise<CreationOutcome> {
  const path = `/${encodeURIComponent(line.whatsappBusinessAccountId)}/message_templates`;
  const json = toGraphTemplate(draft, handles);
  const result = await callGraph(line, { method: "POST", path, json, timeoutMs: CREATE_TIMEOUT_MS });
  switch (result.outcome) {
    case "ok": {
      const { data: answer } = CreationAnswer.safeParse(result.body);
      if (!answer) return { outcome: "unknown", reason: "an answer without the template's id" };
      const { id: whatsappTemplateId, status, category } = answer;
      return {
        outcome: "ok",
        whatsappTemplateId,
        status: status ?? "PENDING",
        category: category ?? draft.category,
      };
    }
    case "refused": {
      const { error, judgement } = result;
      const field = FIELDS.get(error.subcode ?? 0) ?? null;
      const isCallersFault = judgement.blame === "caller";
      return {
        outcome: "refused",
        reason: failureReason(error),
        field,
        platform: toPlatformError(error),
        isCallersFault,
      };
    }
    case "not_sent":
    case "unknown":
      return { outcome: result.outcome, reason: result.reason };
    default:
      return result satisfies never;
  }
}

/** WhatsApp's subcodes of refused templates, by the part of the draft that they are about. */
const FIELDS: ReadonlyMap<number, string> = new Map([
  [2388024, "name"],
  [2388047, "header.text"],
  [2388072, "body"],
  [2388073, "footer"],
  [2388293, "body"],
  [2388299, "body"],
]);

/**
 * Uploads a media sample for review. Its handle is bound to the token's app; a media id, which is bound
 * to a line, would be refused here.
 */
export async function uploadSample(
  line: WhatsappLine,
  { bytes, mimeType }: { bytes: Uint8Array; mimeType: string },
): Promise<{ outcome: "ok"; handle: string } | GraphFailure> {
  const timeoutMs = UPLOAD_TIMEOUT_MS;
  const app = await callGraph(line, { method: "GET", path: "/app", query: { fields: "id" }, timeoutMs });
  const owner = app.outcome === "ok" ? Named.safeParse(app.body).data : undefined;
  if (!owner) return toGraphFailure(app);
  const session = await callGraph(line, {
    method: "POST",
    path: `/${encodeURIComponent(owner.id)}/uploads`,
    query: { file_name: `sample.${mimeType.split("/")[1]}`, file_length: `${bytes.byteLength}`, file_type: mimeType },
    timeoutMs,
  });
  const upload = session.outcome === "ok" ? Named.safeParse(session.body).data : undefined;
  if (!upload || !/^upload:\S+$/.test(upload.id)) return toGraphFailure(session);
  // The id goes into the path unescaped, because it includes a query string.
  const sent = await callGraph(line, { method: "POST", path: `/${upload.id}`, file: bytes, timeoutMs });
  const file = sent.outcome === "ok" ? UploadedFile.safeParse(sent.body).data : undefined;
  return file ? { outcome: "ok", handle: file.h } : toGraphFailure(sent);
}
