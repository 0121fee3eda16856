import { AppError, invalid } from "@/lib/errors";

const ARRIVES_WITHIN_MS = 10_000;

/**
 * Reads at most `maxBytes` of a body. Throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT (the body does not arrive within 10 s),
 * or VALIDATION_ERROR for an encoded one, which could unfold to any size.
 */
export const readBody = async (request: Request, maxBytes: number): Promise<Uint8Array> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null) {
    throw invalid([
      { path: "Content-Encoding", message: `"${encoding.slice(0, 40)}" is not accepted. Send the JSON as it is.` },
    ]);
  }
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let stop = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(tooSlow()), ARRIVES_WITHIN_MS);
    // A copy of the body, which is what proxy.ts is given, does not end when its client hangs up.
    const hangUp = () => reject(cutOff());
    request.signal.addEventListener("abort", hangUp);
    stop = () => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", hangUp);
    };
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), interrupted]);
      if (done) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error instanceof AppError ? error : cutOff();
  } finally {
    stop();
  }
};

const tooLarge = (maxBytes: number) =>
  new AppError(
    "PAYLOAD_TOO_LARGE",
    `The body is larger than ${maxBytes / 1_024} KB. Send media by link and split long lists.`,
    {
      details: { maxBytes, retryable: false },
    },
  );

const tooSlow = () =>
  new AppError(
    "REQUEST_TIMEOUT",
    `The body did not arrive within ${ARRIVES_WITHIN_MS / 1_000} s. Send it whole and at once.`,
    {
      details: { retryable: true },
    },
  );

const cutOff = () => invalid([{ path: "", message: "The body ended before it was complete. Send it whole." }]);
