import { randomInt } from "node:crypto";
import { MEDIA } from "@/lib/whatsapp/limits";
import { GraphError } from "./graph-error";

const MAX_BYTES: ReadonlyMap<string, number> = new Map(
  Object.values(MEDIA).flatMap(({ mimeTypes, maxMebibytes }) =>
    mimeTypes.map((mime) => [mime, maxMebibytes * 1024 * 1024] as const),
  ),
);

/** `POST /{phone-number-id}/media`, a form of `file`, `type`, `messaging_product`: `{id}` of digits, or a refusal. */
export async function mediaResponse(request: Request): Promise<Response> {
  const form = await request.formData().catch(() => {
    throw new GraphError(100, "The request body must be multipart/form-data.");
  });
  if (form.get("messaging_product") !== "whatsapp")
    throw new GraphError(100, 'The parameter messaging_product is required and must be "whatsapp".');
  const file = form.get("file");
  if (!(file instanceof Blob)) throw new GraphError(100, "The parameter file is required.");
  const type = form.get("type");
  if (typeof type !== "string" || type === "") throw new GraphError(100, "The parameter type is required.");
  checkFile(file, type);
  return Response.json({ id: String(randomInt(1e14, 2e14)) });
}

function checkFile(file: Blob, type: string): void {
  const mime = withoutParameters(type);
  const fileMime = withoutParameters(file.type);
  const maxBytes = MAX_BYTES.get(mime);
  if (maxBytes === undefined || fileMime !== mime)
    throw new GraphError(
      100,
      `Param file must be a file with one of the following types: ${[...MAX_BYTES.keys()].join(", ")}. ` +
        `Received file of type '${fileMime}', announced as '${mime}'.`,
    );
  if (file.size === 0) throw new GraphError(100, "Param file must not be empty.");
  if (file.size > maxBytes)
    throw new GraphError(100, `Param file must be at most ${maxBytes} bytes long for ${mime}, got ${file.size}.`);
}

/** `audio/ogg; codecs=opus` is `audio/ogg`. */
const withoutParameters = (mime: string): string => mime.split(";", 1).join("").trim().toLowerCase();
