// What the front door (server.mjs) reads of a request before Next sees it.

export const PARTNER_API = "/api/v1/public";
export const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
export const ALLOW = { Allow: [...METHODS].join(", ") };
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
const FORGEABLE_HEADERS = ["x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-real-ip", "forwarded"];

const SINGLE_HEADERS = new Set([
  "idempotency-key",
  "apikey",
  "apisecret",
  "x-api-key",
  "x-api-secret",
  "x-hub-signature-256",
]);

/** What a client made up about itself never counts; what the socket says does. */
export function guardHeaders(request) {
  for (const name of FORGEABLE_HEADERS) delete request.headers[name];
  // No other protocol is taken up, and Next could not pass an action on with it.
  delete request.headers.upgrade;
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith("x-switchboard-") || name.startsWith("x-middleware-") || name.startsWith("x-vercel-"))
      delete request.headers[name];
  }
  // Next compares an action's Origin with this; proxies in front may have written a Host of their own.
  if (URL.canParse(process.env.APP_URL)) request.headers["x-forwarded-host"] = new URL(process.env.APP_URL).host;
  request.headers["x-switchboard-socket-address"] = request.socket.remoteAddress ?? "";
  const seen = new Set();
  const repeated = new Set();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i].toLowerCase();
    if (SINGLE_HEADERS.has(name) && seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  if (repeated.size > 0) request.headers["x-switchboard-repeated-headers"] = [...repeated].join(",");
}

/** Our routes refuse it, so that it counts on their limits; Next itself could not even read the path. */
export function handOverRefusal(request, code, message) {
  request.headers["x-switchboard-refusal"] = `${code} ${message}`;
  request.url = isBelow(PARTNER_API, request.url) ? `${PARTNER_API}/refused` : "/api/refused";
}

export const pathOf = (target) => target.split(/[?#]/, 1)[0];
export const isBelow = (root, path) => {
  const collapsed = pathOf(path).replace(/\/{2,}/g, "/");
  return collapsed === root || collapsed.startsWith(`${root}/`);
};
export const declaredBytes = (request) => Number(request.headers["content-length"] ?? 0);
export const hasBody = (request) => declaredBytes(request) > 0 || request.headers["transfer-encoding"] !== undefined;

/** A whole address in the request line means its path; the host in it is nobody's but the caller's. */
export function toPath(target) {
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? target;
  return path === "" || path.startsWith("?") ? `/${path}` : path;
}

/** One Host that is a host; HTTP/1.0 may come without. */
export function hasOneHost(request, ownHost) {
  const given = request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  if (given.length === 0 && request.httpVersion === "1.0") request.headers.host = ownHost;
  return given.length <= 1 && HOST.test(request.headers.host ?? "");
}

export function findPathFault(url) {
  const path = pathOf(url);
  if (/\/\/|\\/.test(path)) return ["NOT_FOUND", "This path does not exist: it has an empty part."];
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return ["VALIDATION_ERROR", "The path has a broken percent-encoding. Write a percent sign as %25."];
  }
}

/** Ends a body in chunks that announces no length and grows beyond what any route takes. */
export function capBody(request, maxBytes, refuseIt) {
  let bytes = 0;
  const push = request.push.bind(request);
  request.push = (chunk, encoding) => {
    const wasWithin = bytes <= maxBytes;
    bytes += chunk?.length ?? 0;
    if (bytes <= maxBytes) return push(chunk, encoding);
    if (wasWithin) refuseIt();
    // What comes beyond the cap, its end included, is thrown away.
    return true;
  };
}

/** Keeps a body back until it has arrived whole: a request that is cut off is none, and costs its client alone. */
export function whenWhole(request, arrival, act) {
  const push = request.push.bind(request);
  const chunks = [];
  request.push = (chunk, encoding) => {
    if (chunk !== null) {
      chunks.push([chunk, encoding]);
      arrival.take(chunk.length);
      return true;
    }
    request.push = push;
    for (const held of chunks) push(...held);
    push(null);
    act();
    return true;
  };
  return () => {
    chunks.length = 0;
    request.push = () => true;
  };
}
