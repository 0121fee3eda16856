import type { z } from "zod";
import { AppError, invalid } from "@/lib/core/app-error";
import { bodySourceOf } from "@/lib/core/beside-request";
import { arrivingFrom, BODY_CAPS, type Sender } from "@/lib/core/budget";
import { parseJsonBytes } from "./json";

const ARRIVES_WITHIN_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

type Options = {
  maxBytes: number;
  from: Sender;
  /** When the body's time-out started, by `performance.now()`; defaults to now. */
  sinceMs?: number;
  onChunk?: (chunk: Uint8Array) => void;
};

/**
 * Reads at most `maxBytes` of a body. Throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT (the body does not arrive within 10 s),
 * VALIDATION_ERROR for a compressed one, which could expand to any size, or SERVICE_UNAVAILABLE if too many bodies of
 * this kind are arriving, and this one is evicted.
 */
export async function readBody(
  request: Request,
  { maxBytes, from, sinceMs = performance.now(), onChunk }: Options,
): Promise<Uint8Array> {
  refuseAnnouncedSize(request, maxBytes);
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null) {
    throw invalid([
      { path: "Content-Encoding", message: `"${encoding.slice(0, 40)}" is not accepted. Send the JSON as it is.` },
    ]);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    let isOver = false;
    let stop = () => {};
    const settle = (act: () => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      arrival.end();
      stop();
      act();
    };
    const refuse = (fault: AppError) => settle(() => reject(fault));
    const timer = setTimeout(() => refuse(tooSlow()), sinceMs + ARRIVES_WITHIN_MS - performance.now());
    const arrival = arrivingFrom(from).begin(() => {
      chunks.length = 0;
      refuse(evicted());
    });
    stop = bodySourceOf(request)({
      chunk: (bytes) => {
        if (isOver) return;
        size += bytes.byteLength;
        if (size > maxBytes) return refuse(tooLarge(maxBytes));
        chunks.push(bytes);
        onChunk?.(bytes);
        arrival.take(bytes.byteLength);
      },
      end: () => settle(() => resolve(Buffer.concat(chunks))),
      cut: () => refuse(cutOff()),
    });
  });
}

/** Throws PAYLOAD_TOO_LARGE if Content-Length is more than `maxBytes`. */
export function refuseAnnouncedSize(request: Request, maxBytes: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Returns the 503 for an evicted body. */
export function evicted(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "Too many large requests right now. Retry in a few seconds.", {
    details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}

const tooLarge = (maxBytes: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes / 1_024} KB. Send media as links.`, {
    details: { maxBytes, retryable: false },
  });

const tooSlow = () =>
  new AppError(
    "REQUEST_TIMEOUT",
    `The body did not arrive within ${ARRIVES_WITHIN_MS / 1_000} s. Send it whole and at once.`,
    {
      details: { retryable: true },
    },
  );

const cutOff = () => invalid([{ path: "", message: "The body ended before it was complete. Send it whole." }]);

/** Reads the JSON body of a call by our pages. Throws VALIDATION_ERROR with every fault by its path. */
export async function readJsonAs<Value>(schema: z.ZodType<Value>, request: Request): Promise<Value> {
  const parsed = schema.safeParse(parseJsonBytes(await readBody(request, { maxBytes: BODY_CAPS.form, from: "forms" })));
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })));
}
