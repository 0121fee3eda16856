import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { HttpsProxyAgent } from "https-proxy-agent";
import { Deadline } from "@/lib/core/deadline";
import { proxyFor } from "@/lib/core/env";
import { publicLookup, refusePrivateName } from "@/lib/media/public-address";

/** From the start of the call, connecting included, to the headers of the response. */
export const TIMEOUT_MS = 15_000;
export const CONNECT_TIMEOUT_MS = 5_000;
/** For the body, within the same 15 s: the outcome is known from the status, and the next delivery needs the slot. */
const BODY_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_BYTES = 4_096;
/** Servers close an idle connection after 5 s and more; Node honors a shorter Keep-Alive timeout from the server. */
const SOCKET_IDLE_MS = 4_000;
const AGENT_IDLE_MS = 60_000;

/** No response in time. `code` is that of Node's own errors. */
export class TimedOut extends Error {
  constructor(readonly code: "NO_CONNECTION" | "NO_RESPONSE") {
    super(code);
  }
}

/** The endpoint had closed the idle connection, so the request got no response on it. */
class Stale extends Error {}

export type EndpointRequest = {
  url: URL;
  /** Requests with the same key share connections. */
  key: string;
  /** Connects to public addresses only. */
  isChecked: boolean;
  headers: Record<string, string>;
  body: string;
};

/** `response` is what arrived of the first 4 KB of the body. */
export type EndpointResponse = { statusCode: number; retryAfter: string | undefined; response: string };

/**
 * Posts once, without following redirects, and returns the response as soon as its headers and at most 2 s of its body have
 * arrived. Throws if no headers arrive within 15 s, whatever the other side does. Posts again, on a new connection, only if a kept-alive one
 * was closed before any byte of a response. Not undici, which fails on an unrequested `100 Continue`.
 */
export async function callEndpoint(request: EndpointRequest): Promise<EndpointResponse> {
  const deadline = Deadline.in(TIMEOUT_MS);
  const agent = agentFor(request);
  if (request.isChecked && agent instanceof HttpsProxyAgent) await refusePrivateName(request.url.hostname);
  try {
    return await post(request, agent, deadline);
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
    // Destroy the other idle sockets, which are as old, so that the retry opens a new connection.
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    return await post(request, agent, deadline);
  }
}

const agents = new Map<string, { agent: http.Agent; idle: NodeJS.Timeout }>();

/** Returns the key's agent, which is destroyed after a minute without use. */
function agentFor({ key, url }: EndpointRequest): http.Agent {
  const open = agents.get(key);
  if (open) {
    open.idle.refresh();
    return open.agent;
  }
  const { Agent } = url.protocol === "https:" ? https : http;
  const proxy = proxyFor(url);
  const options = { keepAlive: true, timeout: SOCKET_IDLE_MS };
  const agent = proxy ? new HttpsProxyAgent(proxy, options) : new Agent(options);
  const idle = setTimeout(() => {
    agents.delete(key);
    agent.destroy();
  }, AGENT_IDLE_MS).unref();
  agents.set(key, { agent, idle });
  return agent;
}

const post = (
  { url, isChecked, headers, body }: EndpointRequest,
  agent: http.Agent,
  deadline: Deadline,
): Promise<EndpointResponse> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const length = Buffer.byteLength(body);
    const lookup = isChecked ? { lookup: publicLookup() } : {};
    const asked = request(url, { method: "POST", agent, headers: { ...headers, "content-length": length }, ...lookup });
    const hasAnswered = watch(asked);
    const fail = (error: Error) => {
      clearTimeout(timer);
      const isStale = asked.reusedSocket && !hasAnswered() && isClosing(error);
      reject(isStale ? new Stale() : error);
    };
    const timer = setTimeout(() => {
      // Before `destroy`, which emits no error while the request has no socket, as when a proxy never opens its tunnel.
      fail(new TimedOut("NO_RESPONSE"));
      asked.destroy();
    }, deadline.leftMs);
    // An unrequested 101: without a listener Node closes the connection and emits no error.
    asked.on("upgrade", ({ statusCode = 0 }, socket) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ statusCode, retryAfter: undefined, response: "" });
    });
    asked.on("error", fail).on("response", (response) => {
      clearTimeout(timer);
      // The status decides; Node 26 reports here, too, what cuts the body.
      asked.off("error", fail).on("error", () => undefined);
      const bodyMs = Math.min(BODY_TIMEOUT_MS, deadline.leftMs);
      const { statusCode = 0, headers: answered } = response;
      firstBytes(response, bodyMs).then((text) =>
        resolve({ statusCode, retryAfter: answered["retry-after"], response: text }),
      );
    });
    asked.end(body);
  });

const isClosing = (error: NodeJS.ErrnoException): boolean => error.code === "ECONNRESET" || error.code === "EPIPE";

/** Bounds the time for the connection. The returned function says whether any byte of a response has arrived. */
function watch(asked: ClientRequest): () => boolean {
  let hasAnswered = false;
  asked.on("socket", (socket: Socket) => {
    // Its own event: `bytesRead` counts what TLS itself sends, such as the notice that it closes.
    const note = () => {
      hasAnswered = true;
    };
    socket.once("data", note);
    asked.once("close", () => socket.off("data", note));
    // Through a proxy the connection of an http endpoint is there already.
    if (asked.reusedSocket || !(socket.connecting || "encrypted" in socket)) return;
    const timer = setTimeout(() => asked.destroy(new TimedOut("NO_CONNECTION")), CONNECT_TIMEOUT_MS);
    const done = () => clearTimeout(timer);
    socket.once("encrypted" in socket ? "secureConnect" : "connect", done).once("close", done);
  });
  return () => hasAnswered;
}

/** Reads the start of a body and closes the connection if there is more. Replaces NUL, which Postgres rejects. */
const firstBytes = (response: IncomingMessage, withinMs: number): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = () => {
      clearTimeout(timer);
      if (!response.complete) response.destroy();
      const bytes = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES);
      // As a stream, so that a character that was cut is left out.
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
      resolve(text.replaceAll("\0", "\uFFFD"));
    };
    const timer = setTimeout(end, withinMs);
    response.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= MAX_RESPONSE_BYTES) end();
    });
    // Complete or not: success depends on the status alone.
    response.on("end", end).on("error", end).on("close", end);
  });
