import type { AppError } from "./app-error";

/** Receives a body: its chunks, then its end, or that it was cut off. */
export type BodyReader = { chunk: (bytes: Uint8Array) => void; end: () => void; cut: () => void };

/** Streams a body; the returned function stops reading and discards the rest. */
export type BodySource = (hearer: BodyReader) => () => void;

/** What our own server passes on beside a request, because the web's object has no place for it, or a costly one. */
type Beside = {
  /** The body that the server reads itself: a web stream of Node's costs as much as the rest of an edge. */
  body: BodySource;
  /** A fault in the path, which a route answers so that it counts on its limits. */
  refusal: AppError | undefined;
};

const beside = new WeakMap<Request, Beside>();

export function giveBeside(request: Request, given: Beside): Request {
  beside.set(request, given);
  return request;
}

/** An answer as it is written. */
export type Written = { status: number; headers: Record<string, string>; text: string };

/**
 * The response to a request. Our own server gets the answer as it is, and writes it (lib/server/mount.ts): the web's object
 * and its headers cost a short call a tenth of its CPU.
 */
export function toResponse(request: Request, { text, ...head }: Written): Response {
  const isHead = request.method === "HEAD";
  if (!beside.has(request)) return new Response(isHead ? null : text, head);
  return { ...head, text: isHead ? "" : text } as Written & Response;
}

export function bodySourceOf(request: Request): BodySource {
  return beside.get(request)?.body ?? streamSource(request);
}

export function refusalOf(request: Request): AppError | undefined {
  return beside.get(request)?.refusal;
}

const streamSource =
  (request: Request): BodySource =>
  ({ chunk, end, cut }) => {
    const reader = request.body?.getReader();
    const read = async () => {
      for (;;) {
        const part = await reader?.read();
        if (!part || part.done) return end();
        chunk(part.value);
      }
    };
    read().catch(cut);
    // proxy.ts gets a copy of the body, which does not end when the client disconnects.
    request.signal.addEventListener("abort", cut);
    return () => {
      request.signal.removeEventListener("abort", cut);
      reader?.cancel().catch(() => {});
    };
  };
