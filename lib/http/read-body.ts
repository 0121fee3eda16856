import type { z } from "zod";
import { AppError, invalid, invalidAt } from "@/lib/core/app-error";
import { type ArrivingBytes, arrivingFrom, BODY_CAPS, type Sender } from "@/lib/core/arriving-bytes";
import type { BodySource, Call, CallHeaders } from "./call";
import { parseJsonBytes } from "./json-text";

const ARRIVES_WITHIN_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

type Options = {
  maxBytes: number;
  from: Sender;
  /** When the body's time-out started, by `performance.now()`; defaults to now. */
  sinceMs?: number;
  onChunk?: ((chunk: Uint8Array) => void) | undefined;
};

type WithBody = Pick<Call, "headers" | "body">;

/**
 * Reads at most `maxBytes` of a body. Throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT (the body does not arrive within 10 s),
 * VALIDATION_ERROR for a compressed one, which could expand to any size, or SERVICE_UNAVAILABLE if too many bodies of
 * this kind are arriving, and this one is evicted.
 */
export async function readBody(
  { headers, body: source }: WithBody,
  { maxBytes, from, sinceMs = performance.now(), onChunk }: Options,
): Promise<Uint8Array> {
  refuseAnnouncedSize(headers, maxBytes);
  const encoding = headers.get("content-encoding");
  if (encoding !== null) {
    throw invalidAt("Content-Encoding", `"${encoding.slice(0, 40)}" is not accepted. Send the JSON as it is.`);
  }
  const body = await wholeBody(source, {
    maxBytes,
    arriving: arrivingFrom(from),
    onChunk,
    withinMs: sinceMs + ARRIVES_WITHIN_MS - performance.now(),
  });
  if (typeof body === "string") throw FAULTS[body](maxBytes);
  return body;
}

/** The bytes, or the reason why there are none. */
type WholeBody = Uint8Array | "tooLarge" | "tooSlow" | "evicted" | "cutOff";

type Buffering = Pick<Options, "maxBytes" | "onChunk"> & { arriving: ArrivingBytes; withinMs?: number };

/** Buffers a body until it is complete. Without `withinMs`, the source itself must end. */
export function wholeBody(
  source: BodySource,
  { maxBytes, arriving, withinMs, onChunk }: Buffering,
): Promise<WholeBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new Promise((resolve) => {
    let isOver = false;
    let stop = () => {};
    const settle = (body: WholeBody) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      arrival.end();
      stop();
      chunks.length = 0;
      resolve(body);
    };
    const timer = withinMs === undefined ? undefined : setTimeout(settle, withinMs, "tooSlow");
    const arrival = arriving.begin(() => settle("evicted"));
    stop = source({
      chunk: (bytes) => {
        if (isOver) return;
        size += bytes.byteLength;
        if (size > maxBytes) return settle("tooLarge");
        chunks.push(bytes);
        onChunk?.(bytes);
        arrival.take(bytes.byteLength);
      },
      end: () => settle(Buffer.concat(chunks)),
      cut: () => settle("cutOff"),
    });
  });
}

/** Throws PAYLOAD_TOO_LARGE if Content-Length is more than `maxBytes`. */
function refuseAnnouncedSize(headers: CallHeaders, maxBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

const tooLarge = (maxBytes: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes / 1_024} KB. Send media as links.`, {
    details: { maxBytes, retryable: false },
  });

const evicted = () =>
  new AppError("SERVICE_UNAVAILABLE", "Too many large requests right now. Retry in a few seconds.", {
    details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });

const FAULTS = {
  tooLarge,
  evicted,
  tooSlow: () =>
    new AppError(
      "REQUEST_TIMEOUT",
      `The body did not arrive within ${ARRIVES_WITHIN_MS / 1_000} s. Send it whole and at once.`,
      { details: { retryable: true } },
    ),
  cutOff: () => invalidAt("", "The body ended before it was complete. Send it whole."),
};

/** Reads the JSON body of a call by our pages. Throws VALIDATION_ERROR with every fault by its path. */
export async function readJsonAs<Value>(schema: z.ZodType<Value>, call: WithBody): Promise<Value> {
  const parsed = schema.safeParse(parseJsonBytes(await readBody(call, { maxBytes: BODY_CAPS.form, from: "forms" })));
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })));
}

/** A body before authentication: a size fault, or its bytes if its length was not announced. */
type UnauthenticatedBody = { sizeFault?: AppError; read: () => Promise<Uint8Array> | undefined; release: () => void };

/**
 * Checks the size first. A body with a Content-Length is read after authentication; one
 * without is read now, and may be evicted if there are too many unauthenticated ones.
 */
export async function readUnauthenticatedBody(call: WithBody, sinceMs: number): Promise<UnauthenticatedBody> {
  const options = { maxBytes: BODY_CAPS.call, from: "strangers", sinceMs } as const;
  const none = { read: () => undefined, release: () => {} };
  try {
    refuseAnnouncedSize(call.headers, BODY_CAPS.call);
    if (call.headers.get("content-length") !== null) return none;
    const bytes = await readBody(call, options);
    let held: Uint8Array | undefined = bytes;
    const arrival = arrivingFrom(options.from).begin(() => {
      held = undefined;
    });
    arrival.take(bytes.byteLength);
    return {
      read: async () => {
        if (!held) throw evicted();
        return held;
      },
      release: arrival.end,
    };
  } catch (fault) {
    if (isSizeFault(fault)) return { ...none, sizeFault: fault };
    return { ...none, read: () => Promise.reject(fault) };
  }
}

const isSizeFault = (fault: unknown): fault is AppError =>
  fault instanceof AppError && (fault.code === "PAYLOAD_TOO_LARGE" || fault.code === "REQUEST_TIMEOUT");
