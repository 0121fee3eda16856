import type { IncomingMessage } from "node:http";
import type { ArrivingBytes } from "@/lib/core/arriving-bytes";
import { nodeBody } from "./node-body";

type WholeBody = { bytes: Buffer } | "too-large" | "gave-way" | "cut-off";

/**
 * Keeps a body back until it has arrived whole: a request that is cut off is none, and costs its client alone. Settles with
 * its bytes, or with why there are none.
 */
export function wholeBody(
  request: IncomingMessage,
  { maxBytes, arriving }: { maxBytes: number; arriving: ArrivingBytes },
): Promise<WholeBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new Promise((resolve) => {
    let stop = () => {};
    const settle = (body: WholeBody) => {
      arrival.end();
      stop();
      resolve(body);
    };
    const arrival = arriving.begin(() => settle("gave-way"));
    stop = nodeBody(request)({
      chunk: (bytes) => {
        size += bytes.byteLength;
        if (size > maxBytes) return settle("too-large");
        chunks.push(bytes);
        arrival.take(bytes.byteLength);
      },
      end: () => settle({ bytes: Buffer.concat(chunks) }),
      cut: () => settle("cut-off"),
    });
  });
}
