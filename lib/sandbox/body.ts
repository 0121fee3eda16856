import { arrivingFrom, BODY_CAPS } from "@/lib/core/arriving-bytes";
import { readJson } from "@/lib/core/json";
import { GraphError } from "./graph-error";

/** Reads a JSON body of at most 256 KB; undefined if it is empty or not JSON. */
export async function readJsonBody(request: Request): Promise<unknown> {
  return readJson(new TextDecoder().decode(await readBytes(request)));
}

/** Reads the fields of a form of at most 256 KB; undefined if the body is not a form. */
export async function readSmallForm(request: Request): Promise<FormData | undefined> {
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  const form = new Response(await readBytes(request), { headers });
  return form.formData().catch(() => undefined);
}

async function readBytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_CAPS.sandboxCall) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let mustGiveWay = false;
  const arrival = arrivingFrom("sandbox").begin(() => {
    mustGiveWay = true;
    chunks.length = 0;
  });
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > BODY_CAPS.sandboxCall) throw tooLarge();
      chunks.push(chunk);
      arrival.take(chunk.byteLength);
      if (mustGiveWay) throw tooMany();
    }
    return Buffer.concat(chunks);
  } finally {
    arrival.end();
  }
}

const tooMany = () => new GraphError(2, "Service temporarily unavailable", { httpStatus: 503 });

const tooLarge = () =>
  new GraphError(100, `The request body must be at most ${BODY_CAPS.sandboxCall} bytes long.`, { httpStatus: 413 });
