import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { BodySource } from "@/lib/core/beside-request";

/**
 * A request whose method, URL and headers are Node's own. The web's objects cost a short call a twentieth of its CPU, and
 * are made where anything else is asked of it; its body is given beside it.
 */
export function lightRequest(incoming: IncomingMessage, origin: string): Request {
  return new LightRequest(incoming, origin) as LightRequest & Request;
}

/** The body of Node's own request. */
export function nodeBody(request: IncomingMessage): BodySource {
  return ({ chunk, end, cut }) => {
    const stop = () => {
      request.off("data", chunk).off("end", end).off("close", cut);
      // Discard the rest, so that a client that is still sending can read its response.
      request.resume();
    };
    request.on("data", chunk).on("end", end).on("close", cut);
    // It may have ended before there was a listener.
    if (request.destroyed && !request.complete) cut();
    return stop;
  };
}

class LightRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;

  constructor({ method = "GET", url, headers }: IncomingMessage, origin: string) {
    this.method = method;
    this.url = new URL(`${origin}${url}`).href;
    this.headers = new LightHeaders(headers) as LightHeaders & Headers;
  }

  toWeb(): Request {
    return new Request(this.url, { method: this.method, headers: new Headers(this.headers) });
  }
}

class LightHeaders {
  readonly #given: IncomingHttpHeaders;

  constructor(given: IncomingHttpHeaders) {
    this.#given = given;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const value = Object.hasOwn(this.#given, key) ? this.#given[key] : undefined;
    return value === undefined ? null : toText(value);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  toWeb(): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.#given)) {
      if (value !== undefined) headers.set(name, toText(value));
    }
    return headers;
  }
}

const toText = (value: string | string[]): string => (Array.isArray(value) ? value.join(", ") : value);

/** Makes `light` a prototype of the web's kind: what it lacks is read from the web's own object, one for each light one. */
const complete = (light: { toWeb: () => object }, web: object): void => {
  const made = new WeakMap<object, object>();
  for (const name of Reflect.ownKeys(web)) {
    if (Reflect.has(light, name)) continue;
    const get = function (this: typeof light) {
      const own = made.get(this) ?? this.toWeb();
      made.set(this, own);
      const value: unknown = Reflect.get(own, name);
      return typeof value === "function" ? value.bind(own) : value;
    };
    Object.defineProperty(light, name, { get });
  }
  Object.setPrototypeOf(light, web);
};

complete(LightRequest.prototype, Request.prototype);
complete(LightHeaders.prototype, Headers.prototype);
