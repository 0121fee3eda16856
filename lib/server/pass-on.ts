import { Agent, request as ask, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { env } from "@/lib/process/env";
import { refuse, writeHead } from "./answers";
import { unavailablePage } from "./unavailable-page";

/** What is said between two neighbours only. */
const OF_ONE_CONNECTION = new Set([
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
/** Requests to pages that are under way at once; a page answers in far less than a second. */
const MOST_AT_ONCE = 512;
/** A page process that fails for want of the database says so in this header (lib/process/front-door.ts). */
export const DATABASE_FAILED_HEADER = "x-switchboard-database-failed";
const DATABASE_RETRY_AFTER = "5";

/** Hands requests to the page process at a socket, and streams its answers through. */
export const passTo = (socketPath: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE });
  let underWay = 0;
  return (request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void => {
    if (underWay >= MOST_AT_ONCE) return void unavailable(request, response, "Too many pages are asked for at once.");
    underWay += 1;
    response.once("close", () => {
      underWay -= 1;
      // A body is passed on to its end: Next waits for one that it has begun to read, even if the client has left.
      if (asked.writableFinished) asked.destroy();
      else asked.once("finish", () => asked.destroy());
    });
    const { method, url } = request;
    const asked = ask({ socketPath, agent, method, path: url, headers: headersFor(request, body) });
    asked.on("response", (answer) => void passBack(request, response, answer));
    asked.on("error", () => {
      if (response.closed) return;
      if (response.headersSent) return void response.destroy();
      unavailable(request, response, "The pages are being started again.");
    });
    asked.end(body);
  };
};

const headersFor = ({ headers }: IncomingMessage, body: Buffer | undefined): OutgoingHttpHeaders => {
  const kept = Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.has(name) && name !== "content-length");
  return { ...Object.fromEntries(kept), ...(body ? { "content-length": body.byteLength } : {}) };
};

const passBack = (request: IncomingMessage, response: ServerResponse, answer: IncomingMessage): void => {
  const headers: Record<string, string[]> = {};
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    const name = answer.rawHeaders[i] ?? "";
    if (OF_ONE_CONNECTION.has(name.toLowerCase())) continue;
    headers[name] = [...(headers[name] ?? []), answer.rawHeaders[i + 1] ?? ""];
  }
  let status = answer.statusCode ?? 500;
  // Next answers 500 where it cannot render a page; where our database is the reason, it is a 503.
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
  answer.pipe(response);
};

/** A page for people, our error's shape for programs. */
const unavailable = (request: IncomingMessage, response: ServerResponse, why: string): void => {
  if (!`${request.headers.accept}`.includes("text/html")) {
    return void refuse(request, response, "SERVICE_UNAVAILABLE", `${why} Retry in a second.`);
  }
  const { html, headers } = unavailablePage(why, { isHttps: env().APP_URL.startsWith("https://") });
  writeHead(request, response, 503, headers);
  response.end(request.method === "HEAD" ? undefined : html);
};
