import { FormData } from "undici";
import { callGraph, type GraphResult, type WhatsappLine } from "./client";
import { failureReason, readGraphError, toPlatformError } from "./errors";
import { notSent, type RefusedSend } from "./post-message";
import { MediaAnswer } from "./wire";

export type UploadOutcome = { outcome: "ok"; whatsappMediaId: string } | RefusedSend;

/** Uploads media for this line only; the id is valid for 30 days. Safe to repeat: recipients see nothing. */
export async function uploadMedia(
  line: WhatsappLine,
  { bytes, mimeType, timeoutMs }: { bytes: Uint8Array<ArrayBuffer>; mimeType: string; timeoutMs: number },
): Promise<UploadOutcome> {
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("type", mimeType);
  form.set("file", new Blob([bytes], { type: mimeType }), `media.${mimeType.split("/")[1]}`);
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}/media`;
  const result = await callGraph(line, { method: "POST", path, form, timeoutMs });
  const answer = MediaAnswer.safeParse(result.outcome === "ok" ? result.body : undefined);
  return answer.success ? { outcome: "ok", whatsappMediaId: answer.data.id } : refusalOf(result);
}

/** Classified like a refused send, except that an unknown outcome is safe to retry for an upload. */
const refusalOf = (result: GraphResult): RefusedSend => {
  if (result.outcome === "refused") {
    return { ...result.judgement, reason: failureReason(result.error), platform: toPlatformError(result.error) };
  }
  const error = result.outcome === "ok" ? readGraphError(result.body) : "error" in result ? result.error : undefined;
  if (error) return { ...notSent(failureReason(error)), platform: toPlatformError(error) };
  return notSent("reason" in result ? result.reason : `HTTP ${result.httpStatus} without the expected content`);
};
