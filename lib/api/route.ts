import type { Span } from "@opentelemetry/api";
import { flushRequests, isLogged, recordRequest } from "@/lib/api/log/record-requests";
import { type Outcome, storableHeader, type Trace, toReceivedRequest } from "@/lib/api/log/request-record";
import { serverTiming } from "@/lib/api/response-headers";
import { type KeyHolder, UNKNOWN_KEY, unauthorized } from "@/lib/api-keys/authenticate";
import { assertPermitted, fromElsewhere } from "@/lib/api-keys/key-limits";
import { type AppError, invalidAt } from "@/lib/core/app-error";
import { BODY_CAPS } from "@/lib/core/arriving-bytes";
import { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import { maskedPath } from "@/lib/core/phone";
import { count, failSpan, inTrace, observe, startSpan } from "@/lib/core/telemetry";
import { API_HEADERS, errorAnswer, toAppError, unhandledMethod, unknownPath } from "@/lib/http/api-route";
import type { Answer, Call, CallHeaders, Serve, TextAnswer } from "@/lib/http/call";
import { parseJsonBytes } from "@/lib/http/json-text";
import { readBody, readUnauthenticatedBody } from "@/lib/http/read-body";
import { callerIp, rateLimitAddress, readCredentials, readNamedKey } from "@/lib/http/request-headers";
import { bindingLimit, rateLimitExceeded, rateLimitHeaders } from "@/lib/limits/rate-limit";
import type { NamedMessage } from "@/lib/messages/queries";
import { admitCaller } from "./admit-caller";
import { API_ROOT, type Endpoint, type EndpointAnswer, type EndpointsAt, pathTable } from "./endpoint";

/** Time limit for rate limits and authentication, so that a 503 is returned within 3 s. */
const ADMITTED_WITHIN_MS = 2_800;
/** A message that was read longer ago, because the body took its time, is read again. */
const NAMED_FOR_MS = 500;
/**
 * Handles every call of the partner API, in this order: Content-Length, client-IP limit, path, method, credentials, IP ranges
 * of the key, key limit, permission, body, JSON, endpoint; with one format for responses and errors.
 */
export function publicApi(endpoints: readonly Endpoint[]): Serve {
  const endpointsAt = pathTable(endpoints);
  const calls = endpoints.map(({ method, path }) => `${method} ${API_ROOT}${path}`);
  const advice = `The API has ${calls.slice(0, -1).join(", ")} and ${calls.at(-1)}.`;
  return (call) => inTrace(call, (span) => serve(call, endpointsAt(call.url.pathname), { advice, span }));
}

async function serve(
  call: Call,
  at: EndpointsAt,
  { advice, span }: { advice: string; span: Span | undefined },
): Promise<Answer> {
  const ip = callerIp(call);
  const trace: Trace = {
    span,
    requestId: newId("req"),
    ip,
    address: rateLimitAddress(ip),
    path: maskedPath(call.url.href),
    at: new Date(),
    startedAtMs: performance.now(),
    limits: [],
    timing: {},
  };
  const { requestId } = trace;
  let written: TextAnswer;
  let error: AppError | undefined;
  try {
    const answer = await respond(call, at, { trace, advice });
    trace.logged = answer.logged ?? {};
    const data = "json" in answer ? answer.json : JSON.stringify(answer.data);
    const headers = { "Content-Type": "application/json", ...answer.headers };
    written = { status: answer.status, headers, body: `{"success":true,"data":${data}}` };
  } catch (failure) {
    error = toAppError(failure);
    written = errorAnswer(error, requestId);
  }
  const durationMs = performance.now() - trace.startedAtMs;
  const outcome = { operation: at.operation, written, error, durationMs };
  logRequest(call, trace, outcome);
  measure(trace, outcome);
  if (span) describeCall(span, call, at, { trace, outcome });
  await record(call, trace, outcome);
  const headers = {
    ...written.headers,
    ...API_HEADERS,
    "X-Request-Id": requestId,
    ...rateLimitHeaders(trace.limits, trace.refusedAtMs ?? Date.now()),
    "Server-Timing": serverTiming(durationMs, trace.timing),
    "API-Version": "1",
    ...(trace.principal ? { "X-Mode": trace.principal.mode } : {}),
  };
  return { ...written, headers };
}

async function respond(
  call: Call,
  { byMethod, params }: EndpointsAt,
  { trace, advice }: { trace: Trace; advice: string },
): Promise<EndpointAnswer> {
  const { method, headers } = call;
  const endpoint = byMethod[method === "HEAD" ? "GET" : method];
  const unmeasured = endpoint?.body ? await readUnauthenticatedBody(call, trace.startedAtMs) : undefined;

  const beganAtMs = performance.now();
  const edge = startSpan("edge");
  const deadline = Deadline.at(beganAtMs + ADMITTED_WITHIN_MS);
  const sizeFault = unmeasured?.sizeFault;
  let principal: KeyHolder | undefined;
  let named: NamedMessage | null | undefined;
  try {
    const name = endpoint?.messageNameOf?.({ ...call, params });
    const credentials = endpoint && !sizeFault ? (readCredentials(headers) ?? UNKNOWN_KEY) : undefined;
    const caller = { address: trace.address, ip: trace.ip, credentials, name, deadline };
    const { address, key } = await admitCaller(caller).catch((error: unknown) => {
      // Report a size fault even if the limits could not be checked.
      throw sizeFault ?? error;
    });
    trace.limits.push(address);
    if (sizeFault) throw sizeFault;
    refuseOverLimit(trace);
    if (Object.keys(byMethod).length === 0) throw unknownPath(call, advice);
    if (!endpoint) throw unhandledMethod(call, Object.keys(byMethod));
    if (!key) throw unauthorized(readCredentials(headers));
    trace.principal = key.name;
    if (!key.limit) throw fromElsewhere(trace.ip);
    trace.limits.push(key.limit);
    refuseOverLimit(trace);
    principal = key.holder;
    named = key.named;
    if (!principal) throw new Error("only a key over its limit has no holder here");
    assertPermitted(principal.limits, endpoint.operation);
  } finally {
    edge?.end();
    unmeasured?.release();
  }

  const admittedAtMs = performance.now();
  observe("switchboard_edge_seconds", (admittedAtMs - beganAtMs) / 1_000, {});
  if (endpoint.body) {
    const options = { maxBytes: BODY_CAPS.call, from: "calls", sinceMs: trace.startedAtMs } as const;
    trace.body = parseBody(headers, await (unmeasured?.read() ?? readBody(call, options)));
    if (performance.now() - admittedAtMs > NAMED_FOR_MS) named = undefined;
  }
  // Excludes the time that the client took for its body, but includes rate limits and authentication.
  const receivedAtMs = performance.now() - (admittedAtMs - beganAtMs);
  const { requestId, body, timing } = trace;
  return endpoint.handle({ call, requestId, principal, params, body, named, timing, receivedAtMs });
}

/** Logs a call that names a key. On Vercel nothing runs after the response, so the log is flushed first. */
async function record(call: Call, trace: Trace, outcome: Outcome): Promise<void> {
  try {
    const apiKey = readNamedKey(call.headers);
    if (apiKey !== undefined) {
      const isKept = isLogged({ status: outcome.written.status, apiKey, ip: trace.address });
      recordRequest(toReceivedRequest(apiKey, call, trace, { ...outcome, isKept }), { isKept });
    }
  } catch (error) {
    // A logging failure must not fail the request.
    log("error", "request-log.not-noted", { requestId: trace.requestId, ...errorFields(error) });
  }
  if (env().VERCEL) await flushRequests();
}

function parseBody(headers: CallHeaders, bytes: Uint8Array): unknown {
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (type.startsWith("application/x-www-form-urlencoded") || type.startsWith("multipart/")) {
    throw invalidAt("Content-Type", `"${type.slice(0, 60)}" is a form. Send JSON with Content-Type: application/json.`);
  }
  return parseJsonBytes(bytes);
}

function refuseOverLimit(trace: Trace) {
  const binding = bindingLimit(trace.limits);
  const isOver = binding !== undefined && !binding.isAllowed;
  count("switchboard_limit_checks_total", { result: isOver ? "refused" : "allowed" });
  if (!isOver) return;
  trace.refusedAtMs = Date.now();
  throw rateLimitExceeded(binding, trace.refusedAtMs);
}

function measure({ logged }: Trace, { operation, written: { status }, error, durationMs }: Outcome) {
  observe("switchboard_call_seconds", durationMs / 1_000, { endpoint: operation, status });
  if (error) count("switchboard_refusals_total", { endpoint: operation, code: error.code });
  if (operation !== "send") return;
  count("switchboard_sends_total", { outcome: String(logged?.outcome ?? error?.details.outcome ?? error?.code) });
}

function describeCall(
  span: Span,
  { method }: Call,
  { byMethod }: EndpointsAt,
  { trace: { requestId, logged }, outcome: { written, error } }: { trace: Trace; outcome: Outcome },
) {
  const path = byMethod[method === "HEAD" ? "GET" : method]?.path;
  const messageId = logged?.messageId ?? error?.details.messageId;
  if (path !== undefined) span.setAttribute("http.route", API_ROOT + path);
  if (messageId !== undefined) span.setAttribute("switchboard.message_id", String(messageId));
  if (error) span.setAttribute("error.type", error.code);
  if (written.status >= 500) failSpan(span, String(error?.code));
  span
    .updateName(path === undefined ? method : `${method} ${API_ROOT}${path}`)
    .setAttribute("http.request.method", method)
    .setAttribute("http.response.status_code", written.status)
    .setAttribute("switchboard.request_id", requestId);
}

function logRequest(
  { method, headers }: Call,
  { requestId, span, path, principal, logged }: Trace,
  { written: { status }, error, durationMs }: Outcome,
) {
  // Errors simulated by a test number are not alarms.
  const isOurs = (status === 500 || status === 503) && error?.details.testNumber === undefined;
  log(isOurs ? "error" : "info", "request", {
    requestId,
    callerRequestId: storableHeader(headers.get("x-request-id")) ?? undefined,
    traceId: span?.spanContext().traceId,
    spanId: span?.spanContext().spanId,
    method,
    path,
    status,
    code: error?.code,
    ms: Math.round(durationMs),
    workspaceId: principal?.workspaceId,
    apiKeyId: principal?.apiKeyId,
    ...logged,
    ...(error?.details.messageId ? { messageId: error.details.messageId } : {}),
    ...(isOurs ? errorFields(error) : {}),
  });
}
