import { DatabaseUnavailable } from "@/db/client";
import { AppError, internalError, methodNotAllowed } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import { maskedPath } from "@/lib/core/phone";
import { count, observe } from "@/lib/core/telemetry";
import { type Answer, answerOf, type Call, type Serve, type TextAnswer } from "./call";
import { type RouteMethods, webRoute } from "./web-route";

/** Answers a call; what is written for the web may return its Response. */
export type ApiHandler = (call: Call & { requestId: string }) => Promise<Answer | Response>;

type Handlers = Partial<Record<string, ApiHandler>>;

/** Serves calls outside the partner API: same errors and headers, but their own limits and keys. */
export function apiServe(handlers: Handlers, { maxAgeSeconds }: Caching = {}): Serve {
  return (call) => serve(call, handlers, maxAgeSeconds);
}

/** The same, as a route file. */
export function apiRoute(handlers: Handlers): RouteMethods {
  return webRoute(apiServe(handlers));
}

/** For how long it may be cached. Errors are never cached. */
type Caching = { maxAgeSeconds?: number };

/** A public file, made at its first request: it depends on the deployment only. */
export function publicFile(contentType: string, make: () => string | Promise<string>, caching?: Caching): RouteMethods {
  let text: string | undefined;
  const GET = async () => {
    text ??= await make();
    return { status: 200, headers: { "Content-Type": contentType }, body: text };
  };
  return webRoute(apiServe({ GET }, caching));
}

const NAMED = /^\/api\/(webhooks|cron|health|metrics|auth|v1\/listen|v1\/workspaces)(?=\/|$)/;

/** A metric's label, so one of few. */
const nameOf = (path: string): string => NAMED.exec(path)?.[1] ?? "other";

async function serve(call: Call, handlers: Handlers, maxAgeSeconds: number | undefined): Promise<Answer> {
  const { method, url } = call;
  const requestId = newId("req");
  const startedAtMs = performance.now();
  const endpoint = nameOf(url.pathname);
  let answer: Answer;
  let isKept = maxAgeSeconds !== undefined;
  try {
    if (Object.keys(handlers).length === 0) throw unknownPath(call, "See /docs for what does.");
    const handler = handlers[method === "HEAD" ? "GET" : method];
    if (!handler) throw unhandledMethod(call, Object.keys(handlers));
    const given = await handler({ ...call, requestId });
    answer = given instanceof Response ? answerOf(given) : given;
    isKept &&= answer.status < 300;
  } catch (error) {
    isKept = false;
    answer = errorAnswer(error, requestId);
    const { status, code } = toAppError(error);
    count("switchboard_refusals_total", { endpoint, code });
    const path = maskedPath(url.href);
    const ms = Math.round(performance.now() - startedAtMs);
    const cause = status === 500 || status === 503 ? errorFields(error) : {};
    log(status >= 500 ? "error" : "info", "request", { requestId, method, path, status, code, ms, ...cause });
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  observe("switchboard_call_seconds", seconds, { endpoint, status: answer.status });
  return finished(answer, {
    requestId,
    ...(isKept && { headers: { "Cache-Control": `public, max-age=${maxAgeSeconds}` } }),
  });
}

/** Returns the 405 of a path; GET implies HEAD. */
export function unhandledMethod({ method }: Call, handled: readonly string[]): AppError {
  return methodNotAllowed(
    method,
    handled.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])),
  );
}

/** Returns the 404 of an unknown path, or what is wrong with the path. */
export function unknownPath({ url, fault }: Pick<Call, "url" | "fault">, advice: string): AppError {
  return (
    fault ??
    new AppError("NOT_FOUND", `${url.pathname.slice(0, 100)} does not exist. ${advice}`, {
      details: { retryable: false },
    })
  );
}

const RETRY_AFTER_SECONDS = 5;

/** Converts a failure for the caller: an AppError stays, an unavailable database is a 503, anything else a 500. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new AppError(
      "SERVICE_UNAVAILABLE",
      "Our database is unavailable. Retry in a few seconds; with an Idempotency-Key that is always safe.",
      { details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS }, cause: error },
    );
  }
  return internalError(error instanceof Error ? error : new Error(String(error)));
}

/** Returns the body of every error under /api: `error`, `message`, and `details` with `requestId` and `docsUrl`. */
export function errorBody({ code, message, details }: AppError, requestId: string) {
  return {
    error: code,
    message,
    details: { requestId, docsUrl: `${env().APP_URL}/docs/errors/${code}`, ...details },
  };
}

/** Returns a failure as an answer in the shape of all errors under /api. */
export function errorAnswer(error: unknown, requestId: string): TextAnswer {
  const failure = toAppError(error);
  const { status, details, headers } = failure;
  const retryAfter = details.retryAfterSeconds;
  const body = errorBody(failure, requestId);
  return {
    status,
    headers: {
      "Content-Type": "application/json",
      Link: `<${body.details.docsUrl}>; rel="help"`,
      ...((status === 429 || status === 503) && retryAfter ? { "Retry-After": String(retryAfter) } : {}),
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** On every answer under /api. */
export const API_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

type More = { requestId: string; headers?: Record<string, string> };

/** Adds the headers of every answer under /api, and `headers`, in place of its own of these names. */
export function finished(answer: Answer, { requestId, headers = {} }: More): Answer {
  const added = { ...API_HEADERS, "X-Request-Id": requestId, ...headers };
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const own = Object.entries(answer.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...answer, headers: { ...Object.fromEntries(own), ...added } };
}
