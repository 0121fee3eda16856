import { askGraph, callGraph, type GraphAnswer, type WhatsappLine } from "./client";
import type { TemplateDraft } from "./draft";
import type { GraphError, GraphResult } from "./errors";
import { type SampleHandles, toGraphTemplate, toPostedComponents } from "./template-payload";
import { CreationAnswer, Named, UploadedFile, UploadSession } from "./wire";

const CREATE_TIMEOUT_MS = 15_000;
const UPLOAD_TIMEOUT_MS = 20_000;

export type CreationOutcome =
  /** `status` and `category` are WhatsApp's; it may have changed the category. */
  | { outcome: "ok"; whatsappTemplateId: string; status: string; category: string }
  /** Nothing was created, unless the outcome is unknown. */
  | Exclude<GraphResult, { outcome: "ok" }>;

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
  if (result.outcome !== "ok") return result;
  if (edits !== undefined)
    return { outcome: "ok", whatsappTemplateId: edits, status: "PENDING", category: draft.category };
  const { data: answer } = CreationAnswer.safeParse(result.body);
  if (!answer) return { outcome: "unknown", reason: "an answer without the template's id" };
  const { id: whatsappTemplateId, status, category } = answer;
  return { outcome: "ok", whatsappTemplateId, status: status ?? "PENDING", category: category ?? draft.category };
}

/** Returns the draft's faulty field, if WhatsApp names it. */
export function faultyField({ subcode }: GraphError): string | undefined {
  return FIELDS.get(subcode ?? 0);
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
