import type { PlatformError } from "@/lib/core/app-error";
import { askGraph, callGraph, type GraphAnswer, type WhatsappLine } from "./client";
import type { TemplateDraft } from "./draft";
import { failureReason, toPlatformError } from "./errors";
import { type SampleHandles, toGraphTemplate, toPostedComponents } from "./template-payload";
import { CreationAnswer, Named, UploadedFile, UploadSession } from "./wire";

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

/** Submits a template for review: a new one, or with `edits` other contents of the one with that id of WhatsApp's. */
export async function submitTemplate(
  line: WhatsappLine,
  draft: TemplateDraft,
  { handles, edits }: { handles: SampleHandles; edits: string | undefined },
): Promise<CreationOutcome> {
  const path =
    edits === undefined
      ? `/${encodeURIComponent(line.whatsappBusinessAccountId)}/message_templates`
      : `/${encodeURIComponent(edits)}`;
  const json =
    edits === undefined
      ? toGraphTemplate(draft, handles)
      : { category: draft.category, components: toPostedComponents(draft, handles) };
  const result = await callGraph(line, { method: "POST", path, json, timeoutMs: CREATE_TIMEOUT_MS });
  switch (result.outcome) {
    case "ok": {
      if (edits !== undefined)
        return { outcome: "ok", whatsappTemplateId: edits, status: "PENDING", category: draft.category };
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
): Promise<GraphAnswer<string>> {
  const timeoutMs = UPLOAD_TIMEOUT_MS;
  const app = await askGraph(line, { method: "GET", path: "/app", query: { fields: "id" }, timeoutMs }, Named);
  if (app.outcome === "failed") return app;
  const path = `/${encodeURIComponent(app.answer.id)}/uploads`;
  const file_name = `sample.${mimeType.split("/")[1]}`;
  const query = { file_name, file_length: `${bytes.byteLength}`, file_type: mimeType };
  const upload = await askGraph(line, { method: "POST", path, query, timeoutMs }, UploadSession);
  if (upload.outcome === "failed") return upload;
  // The id goes into the path unescaped, because it includes a query string.
  const request = { method: "POST", path: `/${upload.answer.id}`, file: bytes, timeoutMs } as const;
  return askGraph(line, request, UploadedFile);
}
