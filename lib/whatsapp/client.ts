import { Agent, buildConnector, type Dispatcher, type FormData, request as httpRequest } from "undici";
import { env } from "@/lib/env";
import { ownOrigin } from "@/lib/front-door";
import { isRecord } from "@/lib/is-record";
import { processWide } from "@/lib/process-wide";
import { type GraphError, judge, type Refusal, readGraphError } from "./errors";
import { readExactJson } from "./exact-json";

const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** A shorter token is a word of a test line, and as a word may stand anywhere. */
const LEAST_TOKEN_CHARACTERS = 8;

/** A line with what it takes to speak for it; `accessToken` is the plain token, and goes into the header only. */
export type WhatsappLine = {
  /** A live line speaks to the platform, a test line to the built-in sandbox. */
  mode: "live" | "test";
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  accessToken: string;
};

export type GraphRequest = {
  method: "GET" | "POST" | "DELETE";
  /** Below the version, such as `/106500001/messages`. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  form?: FormData;
  /** A whole file, as the resumable upload takes it. */
  file?: Uint8Array;
  /** From the call to the last byte of the answer; connecting has 3 s of it. */
  timeoutMs: number;
};

export type GraphResult =
  | { outcome: "ok"; httpStatus: number; body: unknown }
  | { outcome: "refused"; httpStatus: number; error: GraphError; judgement: Refusal }
  /** No byte of the request left this machine. */
  | { outcome: "not_sent"; reason: string }
  /** Bytes may have left, and no usable answer came. Both reasons are clauses: no capital letter, no full stop. */
  | { outcome: "unknown"; reason: string; error?: GraphError };

/** Whatever failed before the socket, with TLS, was up: no request was written to it. */
class ConnectError extends Error {
  override readonly name = "ConnectError";
}

/** Calls the platform once, without a retry and without following redirects. Never throws or tells the token. */
export const callGraph = async (line: WhatsappLine, request: GraphRequest): Promise<GraphResult> => {
  try {
    const answer = await httpRequest(graphUrl(line, request), {
      dispatcher: agent(),
      method: request.method,
      headers: {
        // As its bytes: undici would refuse a letter beyond Latin-1, such as the ellipsis of an example.
        authorization: `${request.file ? "OAuth" : "Bearer"} ${Buffer.from(line.accessToken, "utf8").toString("latin1")}`,
        accept: "application/json",
        ...(request.json !== undefined && { "content-type": "application/json" }),
        ...(request.file && { "content-type": "application/octet-stream", file_offset: "0" }),
      },
      body: request.form ?? request.file ?? (request.json === undefined ? null : JSON.stringify(request.json)),
      signal: AbortSignal.timeout(request.timeoutMs),
    });
    const { statusCode, body, headers } = answer;
    return withoutTokens(judgeAnswer(statusCode, await readText(body), retryAfterSeconds(headers)), line);
  } catch (error) {
    return judgeFailure(error, request.timeoutMs);
  }
};

const withoutTokens = (result: GraphResult, line: WhatsappLine): GraphResult =>
  "error" in result && result.error ? { ...result, error: withoutToken(result.error, line) } : result;

/** The platform quotes a token that it refuses, and what it says is stored and shown. */
export const withoutToken = (error: GraphError, { accessToken }: WhatsappLine): GraphError => {
  const own = accessToken.length >= LEAST_TOKEN_CHARACTERS ? accessToken : undefined;
  const hide = (text: string | null) =>
    (own ? text?.replaceAll(own, "[token]") : text)?.replace(/\bEAA[0-9A-Za-z_-]{8,}/g, "[token]") ?? null;
  const { title, message, details } = error;
  return { ...error, title: hide(title), message: hide(message), details: hide(details) };
};

const graphUrl = (line: WhatsappLine, { path, query }: GraphRequest): string => {
  const { WHATSAPP_GRAPH_URL, WHATSAPP_GRAPH_VERSION } = env();
  const base = line.mode === "live" ? WHATSAPP_GRAPH_URL : `${ownOrigin()}/api/sandbox`;
  const search = query ? `?${new URLSearchParams(query)}` : "";
  return `${base}/${WHATSAPP_GRAPH_VERSION}${path}${search}`;
};

const agent = (): Agent =>
  processWide("graphAgent", () => {
    const connectSocket = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
    const connect: buildConnector.connector = (options, callback) =>
      connectSocket(options, (...[error, socket]) =>
        error ? callback(new ConnectError("connect", { cause: error }), null) : callback(null, socket),
      );
    return new Agent({ connect });
  });

/** Undefined where the answer is longer than 1 MB, which nothing of the platform's is. */
const readText = async (body: AsyncIterable<Uint8Array>): Promise<string | undefined> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};

const judgeAnswer = (httpStatus: number, text: string | undefined, retryAfter: number | null): GraphResult => {
  if (text === undefined) return { outcome: "unknown", reason: `HTTP ${httpStatus} with more than 1 MB` };
  if (httpStatus >= 300 && httpStatus < 400) {
    return { outcome: "unknown", reason: `HTTP ${httpStatus}: a redirect, which is not followed` };
  }
  const body = readExactJson(text);
  if (body === undefined) return { outcome: "unknown", reason: `HTTP ${httpStatus} with an unreadable answer` };
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: "ok", httpStatus, body };
  return judgeRefusal(httpStatus, readGraphError(body), retryAfter);
};

/** What an error body proves: a refusal, or nothing. */
export const judgeRefusal = (
  httpStatus: number,
  error: GraphError | undefined,
  retryAfter: number | null,
): Extract<GraphResult, { outcome: "refused" | "unknown" }> => {
  if (!error) return { outcome: "unknown", reason: `HTTP ${httpStatus} without an error code of the platform` };
  const judgement = judge(httpStatus, error);
  if (judgement.outcome === "unknown") {
    return { outcome: "unknown", reason: `HTTP ${httpStatus} with code ${error.code}, which leaves it open`, error };
  }
  const advised = { ...judgement, retryAfterSeconds: retryAfter ?? judgement.retryAfterSeconds };
  return { outcome: "refused", httpStatus, error, judgement: advised };
};

const judgeFailure = (error: unknown, timeoutMs: number): GraphResult => {
  if (error instanceof ConnectError) return { outcome: "not_sent", reason: unreachable(errorCode(error.cause)) };
  const code = errorCode(error);
  // undici checks a request before it opens a socket: a token with a line break ends here.
  if (code === "UND_ERR_INVALID_ARG") return { outcome: "not_sent", reason: "the request could not be written" };
  if (code === "TimeoutError") return { outcome: "unknown", reason: `no whole answer within ${timeoutMs} ms` };
  return { outcome: "unknown", reason: `the connection broke before a whole answer came: ${code}` };
};

const unreachable = (code: string): string => {
  switch (code) {
    case "ECONNREFUSED":
      return "the platform could not be reached: connection refused";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "the platform could not be reached: its name was not resolved";
    case "UND_ERR_CONNECT_TIMEOUT":
      return `the platform could not be reached: no connection within ${CONNECT_TIMEOUT_MS} ms`;
    default:
      return `the platform could not be reached: connecting failed with ${code}`;
  }
};

/** A code or a class, never a message: messages may quote what was sent. */
const errorCode = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};

const retryAfterSeconds = (headers: Dispatcher.ResponseData["headers"]): number | null => {
  const retryAfter = headers["retry-after"];
  if (typeof retryAfter === "string" && /^\d{1,6}$/.test(retryAfter)) return Number(retryAfter);
  const usage = headers["x-business-use-case-usage"];
  return typeof usage === "string" ? minutesToRegainAccess(readExactJson(usage)) * 60 || null : null;
};

/** The longest wait that the platform's usage header names, over every account and kind of call in it. */
const minutesToRegainAccess = (usage: unknown): number => {
  const entries = isRecord(usage) ? Object.values(usage).flat() : [];
  const minutes = entries.map((entry) => (isRecord(entry) ? Number(entry.estimated_time_to_regain_access) : 0));
  return Math.max(0, ...minutes.filter(Number.isFinite));
};
