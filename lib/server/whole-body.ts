import type { IncomingMessage } from "node:http";
import type { ArrivingBytes } from "@/lib/core/budget";
import { nodeBody } from "./light-request";

type WholeBody = { bytes: Buffer } | "too-large" | "gave-way" | "cut-off";

/**
 * Buffers a body until it is complete, so that an aborted request never reaches a handler. Resolves with
 * its bytes, or with the reason why there are none.
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
