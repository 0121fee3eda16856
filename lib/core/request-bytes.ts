/** Receives a body: its bytes as they come, its end, or that it was cut off. */
export type Hearer = { chunk: (bytes: Uint8Array) => void; end: () => void; cut: () => void };

/** Passes a body on as it arrives; the function that it returns ends the reading and discards the rest. */
export type BodySource = (hearer: Hearer) => () => void;

const sources = new WeakMap<Request, BodySource>();

/** Gives a request the body that its server reads itself: a web stream of Node's costs as much as the rest of an edge. */
export function giveBody(request: Request, source: BodySource): Request {
  sources.set(request, source);
  return request;
}

export function bodySourceOf(request: Request): BodySource {
  return sources.get(request) ?? streamSource(request);
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
    // A copy of the body, which is what proxy.ts is given, does not end when its client hangs up.
    request.signal.addEventListener("abort", cut);
    return () => {
      request.signal.removeEventListener("abort", cut);
      reader?.cancel().catch(() => {});
    };
  };
