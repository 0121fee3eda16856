import { FormData } from "undici";
import { callGraph, type WhatsappLine } from "./client";
import { type GraphFailure, toGraphFailure } from "./graph-failure";
import { MediaAnswer } from "./wire";

export type UploadOutcome = { outcome: "ok"; whatsappMediaId: string } | GraphFailure;

/** Uploads media for this line alone; the id is good for 30 days. May be repeated: the recipient sees nothing of it. */
export const uploadMedia = async (
  line: WhatsappLine,
  { bytes, mimeType, timeoutMs }: { bytes: Uint8Array<ArrayBuffer>; mimeType: string; timeoutMs: number },
): Promise<UploadOutcome> => {
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("type", mimeType);
  form.set("file", new Blob([bytes], { type: mimeType }), `media.${mimeType.split("/")[1]}`);
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}/media`;
  const result = await callGraph(line, { method: "POST", path, form, timeoutMs });
  if (result.outcome !== "ok") return toGraphFailure(result);
  const answer = MediaAnswer.safeParse(result.body);
  return answer.success ? { outcome: "ok", whatsappMediaId: answer.data.id } : toGraphFailure(result);
};
