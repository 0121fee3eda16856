import { Agent, request as ask, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { Budget } from "@/lib/core/budget";
import { env } from "@/lib/core/env";
import { frontDoor } from "@/lib/core/own-server";
import { refuse, unavailablePage } from "./answers";
import { addressOf, handedOn, writeHead } from "./requests";

/** Hop-by-hop headers, and those that Node writes itself. */
const HOP_BY_HOP_HEADERS = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "date",
]);
/**
 * Concurrent page requests, total and per IP. A slot is held until the pages finish a request, even if its client
 * has left. There is one thread, and a page takes some 10 ms of it: more at once only slow each other. Others queue.
 */
const PLACES = { inAll: 32, each: 16, waiting: 384 };
/** A request that takes longer is waiting for something other than that thread. */
const MAX_HELD_MS = 2_000;
const PLACE_WITHIN_MS = 5_000;
/** For the head of an answer, and again for each part of it: longer than any page or action takes. */
const ANSWER_WITHIN_MS = 60_000;
/** Bytes per turn, more than any page has. An export's next turn begins when its client has read this much. */
const TURN_BYTES = 1_024 * 1_024;
const TURN_WITHIN_MS = 60_000;
/** Pages count as busy when requests found no free slot and none was answered for this long. */
const BUSY_FOR_MS = 10_000;
const BUSY_AFTER_MS = 1_000;
/** A page process that fails for want of the database says so in this header (lib/core/process-wide.ts). */
export const DATABASE_FAILED_HEADER = "x-switchboard-database-failed";
const DATABASE_RETRY_AFTER = "5";

/** Proxies requests to the page process at a socket, and streams its responses back. */
export function proxyTo(socketPath: string) {
  const agent = new Agent({ keepAlive: true });
  const places = new Budget(PLACES);
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  let answeredAtMs = Number.NEGATIVE_INFINITY;

  /** Waits for a slot of the client's address. Returns undefined if none is free or the client has left. */
  const placeFor = async (request: IncomingMessage, response: ServerResponse, waitMs: number) => {
    const place = places.hold(addressOf(request));
    response.once("close", place.release);
    const isRefused = response.destroyed || (await place.take(1, { waitMs })) !== undefined;
    response.off("close", place.release);
    setTimeout(place.release, MAX_HELD_MS).unref();
    if (!isRefused && !response.destroyed) return place;
    place.release();
    return undefined;
  };

  const pass = async (request: IncomingMessage, response: ServerResponse, body?: Uint8Array): Promise<void> => {
    let place = await placeFor(request, response, PLACE_WITHIN_MS);
    if (response.destroyed) return;
    if (!place) {
      refusedAtMs = performance.now();
      return unavailable(request, response, "Too many pages are asked for at once.");
    }
    const notAnswered = () => unavailable(request, response, "It took too long to be made.");
    const { method, headers: added } = handedOn(request);
    const headers = { ...headersFor(request, body), ...added };
    const asked = ask({ socketPath, agent, method, path: request.url, headers });
    let answer: IncomingMessage | undefined;
    const tooLate = setTimeout(() => {
      // Paused until its client has read what it was sent (`watchReaders` closes one that does not).
      if (answer?.isPaused()) tooLate.refresh();
      else asked.destroy(new Error("no answer"));
    }, ANSWER_WITHIN_MS);
    const end = () => {
      // Send the whole body: Next waits for one that it has begun to read, even if the client has left.
      if (asked.writableFinished) asked.destroy();
      else asked.once("finish", () => asked.destroy());
    };
    asked.once("close", () => {
      clearTimeout(tooLate);
      place?.release();
      // Nothing else is emitted where the answer is a 101.
      if (!response.headersSent && !response.destroyed) notAnswered();
    });
    asked.on("response", (arrived) => {
      answer = arrived.on("data", () => tooLate.refresh());
      answeredAtMs = performance.now();
      // For a client that left, the pages finish only now, so its slot was held until here.
      if (response.destroyed) return end();
      response.once("close", end);
      streamBack(request, response, arrived, async () => {
        place?.release();
        if (response.writableNeedDrain) await drained(response);
        place = await placeFor(request, response, TURN_WITHIN_MS);
        return place !== undefined;
      });
    });
    asked.on("error", (error: NodeJS.ErrnoException) => {
      if (response.destroyed) return;
      if (response.headersSent) return void response.destroy();
      const isRestart = isOfRestart(error);
      if (error.syscall === "connect" && !isRestart) refusedAtMs = performance.now();
      if (isRestart)
        unavailable(request, response, "The pages are being started, which takes a minute where they are built first.");
      else notAnswered();
    });
    asked.end(body);
  };

  const isBusy = (): boolean => {
    const nowMs = performance.now();
    return nowMs - refusedAtMs < BUSY_FOR_MS && nowMs - answeredAtMs > BUSY_AFTER_MS;
  };
  return { pass, isBusy };
}

const drained = (response: ServerResponse): Promise<unknown> =>
  new Promise((resolve) => response.once("drain", resolve).once("close", resolve));

const isOfRestart = ({ code }: NodeJS.ErrnoException): boolean =>
  code === "ENOENT" || code === "ECONNREFUSED" || frontDoor()?.pagesState?.() === "starting";

function headersFor({ headers }: IncomingMessage, body: Uint8Array | undefined): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP_HEADERS.has(name) && name !== "content-length");
  return { ...Object.fromEntries(kept), ...(body ? { "content-length": body.byteLength } : {}) };
}

/** `nextTurn` resolves with whether more of a long response may be sent. */
function streamBack(
  request: IncomingMessage,
  response: ServerResponse,
  answer: IncomingMessage,
  nextTurn: () => Promise<boolean>,
): void {
  const headers: Record<string, string[]> = {};
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    const name = answer.rawHeaders[i] ?? "";
    if (HOP_BY_HOP_HEADERS.has(name.toLowerCase())) continue;
    headers[name] = [...(headers[name] ?? []), answer.rawHeaders[i + 1] ?? ""];
  }
  let status = answer.statusCode ?? 500;
  // Next returns 500 if it cannot render a page; if our database is the cause, send 503.
  if (answer.headers[DATABASE_FAILED_HEADER]) {
    delete headers[DATABASE_FAILED_HEADER];
    if (status === 500) {
      status = 503;
      headers["Retry-After"] = [DATABASE_RETRY_AFTER];
    }
  }
  const outgoing = Object.entries(headers).map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
  writeHead(request, response, status, Object.fromEntries(outgoing));
  answer.on("error", () => response.destroy());
  // An answer that is cut off must not look whole.
  answer.on("close", () => answer.complete || response.destroy());
  let passedBytes = 0;
  answer.on("data", (chunk: Buffer) => {
    response.write(chunk);
    passedBytes += chunk.byteLength;
    if (passedBytes < TURN_BYTES) return;
    passedBytes = 0;
    answer.pause();
    void nextTurn().then((isMine) => (isMine ? answer.resume() : response.destroy()));
  });
  answer.on("end", () => response.end());
}

/** Responds with a page for people, or our JSON error for programs. */
function unavailable(request: IncomingMessage, response: ServerResponse, why: string): void {
  if (!`${request.headers.accept}`.includes("text/html")) {
    return void refuse(request, response, "SERVICE_UNAVAILABLE", `${why} Retry in a second.`);
  }
  const { html, headers } = unavailablePage(why, { isHttps: env().APP_URL.startsWith("https://") });
  writeHead(request, response, 503, headers);
  response.end(request.method === "HEAD" ? undefined : html);
}
