import { type KeyHolder, UNKNOWN_KEY, unauthorized } from "@/lib/api-keys/authenticate";
import { AppError, invalid } from "@/lib/core/app-error";
import { arrivingFrom } from "@/lib/core/arriving-from";
import { BODY_CAPS } from "@/lib/core/body-caps";
import { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { maskedPath } from "@/lib/core/masked-text";
import { newId } from "@/lib/core/new-id";
import type { Principal } from "@/lib/core/principal";
import { bindingLimit, rateLimitHeaders } from "@/lib/limits/headers";
import type { RateLimitState } from "@/lib/limits/policies";
import { rateLimitExceeded } from "@/lib/limits/rate-limit-exceeded";
import { admitCaller, type KeyName } from "./admit-caller";
import { callerAddress } from "./caller-address";
import { errorResponse, toAppError } from "./error-response";
import { finishResponse } from "./finish-response";
import { parseJsonBytes } from "./json";
import {
  type Incoming,
  methodNotAllowed,
  methodTable,
  pathParameters,
  type RouteMethods,
  unknownPath,
} from "./methods";
import { evicted, readBody, refuseAnnouncedSize } from "./read-body";
import { flushRequests, recordRequest } from "./record-requests";
import { readCredentials } from "./request-headers";
import { toReceivedRequest } from "./request-record";
import { serverTiming, type Timing } from "./server-timing";

/** An authenticated call. `body` is the parsed JSON where the endpoint takes one. */
export type Call = {
  request: Request;
  requestId: string;
  principal: Principal;
  params: Record<string, string>;
  body: unknown;
  /** For what an endpoint knows of its own duration. */
  timing: Timing;
  /** When the request was there as a whole, on the clock of `performance.now()`. */
  receivedAtMs: number;
};

export type Answer = {
  status: 200 | 201;
  data: unknown;
  headers?: Record<string, string>;
  logged?: Record<string, unknown>;
};

export type Endpoint = { takesBody: boolean; handle: (call: Call) => Promise<Answer> };

/** In which both limits and the key have their answers from the database, so that a 503 comes within 3 s. */
const ADMITTED_WITHIN_MS = 2_800;
const WHAT_EXISTS =
  "The API has POST /api/v1/public/messages/send, GET /api/v1/public/messages/{messageId} and GET /api/v1/public/templates.";

/**
 * The partner API's edge around its endpoints, for every method of a path: announced size, client-IP limit, method,
 * credentials, key limit, body, JSON, the handler, and one shape of answers and errors. An empty table is a path that does not exist.
 */
export function publicRoute(endpoints: Partial<Record<"GET" | "POST", Endpoint>>): RouteMethods {
  return methodTable((incoming) => serve(incoming, endpoints));
}

/** What is known of a request so far, for its headers, its line in the log and its row in the request log. */
type Trace = {
  requestId: string;
  at: Date;
  startedAtMs: number;
  limits: RateLimitState[];
  /** When a limit refused it: the seconds of its text and of its headers are counted from one instant. */
  refusedAtMs?: number;
  timing: Timing;
  principal?: KeyName;
  body?: unknown;
  logged?: Record<string, unknown>;
};

const serve = async (incoming: Incoming, endpoints: Partial<Record<string, Endpoint>>): Promise<Response> => {
  const trace: Trace = {
    requestId: newId("req"),
    at: new Date(),
    startedAtMs: performance.now(),
    limits: [],
    timing: {},
  };
  const { requestId } = trace;
  let response: Response;
  let failure: unknown;
  try {
    const answer = await respond(incoming, endpoints, trace);
    trace.logged = answer.logged ?? {};
    response = Response.json(
      { success: true, data: answer.data },
      { status: answer.status, headers: answer.headers ?? {} },
    );
  } catch (error) {
    failure = error;
    response = errorResponse(error, requestId);
  }
  const durationMs = performance.now() - trace.startedAtMs;
  logRequest(incoming, trace, { status: response.status, failure, durationMs });
  await record(incoming, trace, { response, failure, durationMs });
  const headers = {
    ...rateLimitHeaders(trace.limits, trace.refusedAtMs ?? Date.now()),
    "Server-Timing": serverTiming(durationMs, trace.timing),
    "API-Version": "1",
    ...(trace.principal ? { "X-Mode": trace.principal.mode } : {}),
  };
  return finishResponse(response, { method: incoming.method, requestId, headers });
};

const respond = async (
  incoming: Incoming,
  endpoints: Partial<Record<string, Endpoint>>,
  trace: Trace,
): Promise<Answer> => {
  const { method, request, context } = incoming;
  const { requestId } = trace;
  const endpoint = endpoints[method === "HEAD" ? "GET" : method];
  const unmeasured = endpoint?.takesBody ? await readUnmeasured(request, trace) : undefined;

  const beganAtMs = performance.now();
  const deadline = Deadline.at(beganAtMs + ADMITTED_WITHIN_MS);
  const sizeFault = unmeasured?.sizeFault;
  let principal: KeyHolder | undefined;
  try {
    const credentials = endpoint && !sizeFault ? (readCredentials(request.headers) ?? UNKNOWN_KEY) : undefined;
    const caller = { address: callerAddress(request.headers), credentials, deadline };
    const { address, key } = await admitCaller(caller).catch((error: unknown) => {
      // A fault of size is one, counted by the limit or not.
      throw sizeFault ?? error;
    });
    trace.limits.push(address);
    if (sizeFault) throw sizeFault;
    refuseOverLimit(trace);
    if (Object.keys(endpoints).length === 0) throw unknownPath(request, WHAT_EXISTS);
    if (!endpoint) throw methodNotAllowed(incoming, Object.keys(endpoints));
    if (!key) throw unauthorized();
    trace.principal = key.name;
    trace.limits.push(key.limit);
    refuseOverLimit(trace);
    principal = key.holder;
    if (!principal) throw new Error("only a key over its limit has no holder here");
  } finally {
    unmeasured?.release();
  }

  const admittedAtMs = performance.now();
  if (endpoint.takesBody) {
    const options = { maxBytes: BODY_CAPS.call, from: "calls", sinceMs: trace.startedAtMs } as const;
    trace.body = parseBody(request, await (unmeasured?.read() ?? readBody(request, options)));
  }
  // As if the body had come first: what its client took for it is not our time, and the limits and the key are.
  const receivedAtMs = performance.now() - (admittedAtMs - beganAtMs);
  const params = await pathParameters(context);
  const { body: parsed, timing } = trace;
  return endpoint.handle({ request, requestId, principal, params, body: parsed, timing, receivedAtMs });
};

/** A call that names a key is logged for its workspace. On Vercel nothing outlives the response, so it is logged first. */
const record = async (
  { method, request }: Incoming,
  { requestId, at, timing, body, logged }: Trace,
  { response, failure, durationMs }: { response: Response; failure: unknown; durationMs: number },
) => {
  try {
    const received = toReceivedRequest(
      { method, request, requestId, at, body },
      { response, failure, durationMs, platformMs: timing.platformMs, messageId: logged?.messageId },
    );
    if (received) recordRequest(received);
  } catch (error) {
    // A logging failure must not fail the request.
    log("error", "request-log.not-noted", { requestId, ...errorFields(error) });
  }
  if (env().VERCEL) await flushRequests();
};

/** What is known of a body before its sender is: a fault of size, or its bytes where only they show it. */
type Unmeasured = { sizeFault?: AppError; read: () => Promise<Uint8Array> | undefined; release: () => void };

/**
 * Faults of size come before all others. A body that announces its length is read once its sender is proven; one that
 * does not is read now, and gives way where strangers send too many of them.
 */
const readUnmeasured = async (request: Request, { startedAtMs }: Trace): Promise<Unmeasured> => {
  const options = { maxBytes: BODY_CAPS.call, from: "strangers", sinceMs: startedAtMs } as const;
  const none = { read: () => undefined, release: () => {} };
  try {
    refuseAnnouncedSize(request, BODY_CAPS.call);
    if (request.headers.has("content-length")) return none;
    const bytes = await readBody(request, options);
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
};

const isSizeFault = (fault: unknown): fault is AppError =>
  fault instanceof AppError && (fault.code === "PAYLOAD_TOO_LARGE" || fault.code === "REQUEST_TIMEOUT");

const parseBody = (request: Request, bytes: Uint8Array): unknown => {
  const type = request.headers.get("content-type")?.toLowerCase() ?? "";
  if (type.startsWith("application/x-www-form-urlencoded") || type.startsWith("multipart/")) {
    throw invalid([
      {
        path: "Content-Type",
        message: `"${type.slice(0, 60)}" is a form. Send JSON with Content-Type: application/json.`,
      },
    ]);
  }
  return parseJsonBytes(bytes);
};

const refuseOverLimit = (trace: Trace) => {
  const binding = bindingLimit(trace.limits);
  if (!binding || binding.isAllowed) return;
  trace.refusedAtMs = Date.now();
  throw rateLimitExceeded(binding, trace.refusedAtMs);
};

const logRequest = (
  { method, request }: Incoming,
  { requestId, principal, logged }: Trace,
  { status, failure, durationMs }: { status: number; failure: unknown; durationMs: number },
) => {
  const error = failure === undefined ? undefined : toAppError(failure);
  // What a test number simulates is no alarm.
  const isOurs = (status === 500 || status === 503) && error?.details.testNumber === undefined;
  log(isOurs ? "error" : "info", "request", {
    requestId,
    method,
    path: maskedPath(request.url),
    status,
    code: error?.code,
    ms: Math.round(durationMs),
    workspaceId: principal?.workspaceId,
    apiKeyId: principal?.apiKeyId,
    ...logged,
    ...(error?.details.messageId ? { messageId: error.details.messageId } : {}),
    ...(isOurs ? errorFields(failure) : {}),
  });
};
