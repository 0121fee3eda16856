import { ERROR_CLASSES } from "./api-errors.js";
import { AbortError, ApiError, NoResponseError, type ResponseInfo, type SwitchboardError } from "./errors.js";
import type { ErrorDetails } from "./resources.js";
import { readRetryAfterMs, retryDelayMs } from "./retry-delay.js";
import { VERSION } from "./version.js";

/** One attempt of a call, once it has ended. It holds no secret. */
export type AttemptInfo = {
  method: "GET" | "POST";
  url: string;
  /** From 1. */
  attempt: number;
  durationMs: number;
  response: ResponseInfo | undefined;
  error: SwitchboardError | undefined;
  /** How long the client waits before it repeats the call; undefined where it does not. */
  retryInMs: number | undefined;
  idempotencyKey: string | undefined;
};

export type Settings = {
  apiKey: string;
  apiSecret: string;
  origin: string;
  maxRetries: number;
  timeoutSeconds: number;
  deadlineSeconds: number;
  fetch: typeof fetch;
  onAttempt?: ((attempt: AttemptInfo) => void) | undefined;
};

export type Call = {
  method: "GET" | "POST";
  /** Below `/api/v1`. */
  path: string;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

type Success<T> = { data: T; response: ResponseInfo; error?: undefined };
type Failure = { error: SwitchboardError; mayRetry: boolean; retryAfterMs?: number | undefined };

// Beside the results, which stay as the API's JSON has them.
const RESPONSES = new WeakMap<object, ResponseInfo>();

/** The headers and the request id that came with a result of a client; with a list, those of its last page. */
export function responseOf(result: object): ResponseInfo | undefined {
  return RESPONSES.get(result);
}

export function keepResponse<T extends object>(result: T, response: ResponseInfo | undefined): T {
  if (response) RESPONSES.set(result, response);
  return result;
}

/**
 * Makes one call of the API and returns its `data`. Repeats it, unchanged and under its idempotency key, where no
 * response arrived or the response says that it may be repeated. Throws `ApiError`, `NoResponseError` or `AbortError`.
 */
export const callApi = async <T extends object>(settings: Settings, call: Call): Promise<T> => {
  const endsAtMs = Date.now() + settings.deadlineSeconds * 1_000;
  const url = `${settings.origin}/api/v1${call.path}`;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  let wasConnected = false;
  for (let retry = 0; ; retry++) {
    const startedAtMs = Date.now();
    // Whole, because AbortSignal.timeout refuses anything else.
    const timeoutMs = Math.max(1, Math.ceil(Math.min(settings.timeoutSeconds * 1_000, endsAtMs - startedAtMs)));
    const outcome: Success<T> | Failure = await attemptCall<T>(settings, {
      ...call,
      url,
      body,
      timeoutMs,
      wasConnected,
    });
    wasConnected ||= !(outcome.error instanceof NoResponseError && outcome.error.outcome === "not_sent");
    const retryInMs = outcome.error && retryTime(settings, outcome, { retry, endsAtMs });
    const { method, idempotencyKey } = call;
    const { error } = outcome;
    const response = outcome.error ? outcome.error.response : outcome.response;
    const durationMs = Date.now() - startedAtMs;
    report(settings, { method, url, attempt: retry + 1, durationMs, response, error, retryInMs, idempotencyKey });
    if (!outcome.error) return keepResponse(outcome.data, response);
    if (retryInMs === undefined) throw outcome.error;
    await sleep(retryInMs, call);
  }
};

const retryTime = (
  { maxRetries }: Settings,
  { mayRetry, retryAfterMs }: Failure,
  { retry, endsAtMs }: { retry: number; endsAtMs: number },
): number | undefined => {
  const delayMs = retryDelayMs(retry, retryAfterMs);
  // A wait that leaves no time for the call after it helps nobody.
  return mayRetry && retry < maxRetries && Date.now() + delayMs < endsAtMs ? delayMs : undefined;
};

/** A hook that fails must not make a sent message look like one that was not. */
const report = ({ onAttempt }: Settings, attempt: AttemptInfo): void => {
  try {
    onAttempt?.(attempt);
  } catch {
    // Ignored.
  }
};

const attemptCall = async <T>(
  { apiKey, apiSecret, fetch }: Settings,
  call: Omit<Call, "body" | "path"> & {
    url: string;
    body: string | undefined;
    timeoutMs: number;
    /** Whether an attempt before it may have reached the API. */
    wasConnected: boolean;
  },
): Promise<Success<T> | Failure> => {
  const { method, url, body, timeoutMs, idempotencyKey, signal } = call;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    // `fetch` is called by itself: as a method of something else, some runtimes refuse it.
    response = await fetch(url, {
      method,
      headers: {
        apiKey,
        apiSecret,
        Accept: "application/json",
        "User-Agent": `switchboard-client-typescript/${VERSION}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
      // A redirect would carry the secret to another address.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) return { error: abortError(call), mayRetry: false };
    const reason = timeout.aborted ? `No response within ${timeoutMs / 1_000} s` : "The connection failed";
    const outcome = call.wasConnected || !isUnconnected(cause) ? "unknown" : "not_sent";
    const error = new NoResponseError(`${reason}: ${method} ${url}`, { idempotencyKey, cause, outcome });
    return { error, mayRetry: true };
  }
  const { status, headers } = response;
  const info = { status, headers, requestId: headers.get("X-Request-Id") ?? undefined };
  const answer = readJson(text);
  if (response.ok && isRecord(answer) && answer.success === true) return { data: answer.data as T, response: info };
  return failureOf(info, answer, { url, idempotencyKey });
};

/** Whether no connection was made, as Node's errors tell: nothing was sent. Where a runtime does not say so it is false. */
const isUnconnected = (cause: unknown): boolean => {
  if (!(cause instanceof Error)) return false;
  // One error for each address of the host.
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isUnconnected);
  if (cause.cause !== undefined) return isUnconnected(cause.cause);
  return "syscall" in cause && (cause.syscall === "connect" || cause.syscall === "getaddrinfo");
};

const failureOf = (
  response: ResponseInfo,
  answer: unknown,
  { url, idempotencyKey }: { url: string; idempotencyKey: string | undefined },
): Failure => {
  const { status, headers } = response;
  const asked = readRetryAfterMs(headers.get("Retry-After"), Date.now());
  if (!isRefusal(answer)) {
    const message = `${url} returned ${status}, but not from the API. Check the address and any proxy in front of it.`;
    // A proxy in front replied, or the response was cut off.
    const mayRetry = status >= 500 || status === 429 || (status >= 200 && status < 300);
    return { error: new NoResponseError(message, { response, idempotencyKey }), mayRetry, retryAfterMs: asked };
  }
  const { error: code, message, details } = answer;
  const known: Record<string, typeof ApiError> = ERROR_CLASSES;
  const ErrorClass = (Object.hasOwn(known, code) ? known[code] : undefined) ?? ApiError;
  return {
    error: new ErrorClass({ code, status, message, details, idempotencyKey, response }),
    mayRetry: details.retryable === true,
    retryAfterMs: asked ?? (details.retryAfterSeconds ?? 0) * 1_000,
  };
};

type Abortable = Pick<Call, "signal" | "idempotencyKey">;

const abortError = ({ signal, idempotencyKey }: Abortable): AbortError =>
  new AbortError("The call was aborted.", { idempotencyKey, cause: signal?.reason });

/** Resolves after `ms` milliseconds, or rejects with an `AbortError` once the call's signal is aborted. */
export const sleep = (ms: number, call: Abortable = {}): Promise<void> =>
  new Promise((resolve, reject) => {
    const { signal } = call;
    if (signal?.aborted) return reject(abortError(call));
    const abort = () => {
      clearTimeout(timer);
      reject(abortError(call));
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      },
      Math.max(0, ms),
    );
    signal?.addEventListener("abort", abort, { once: true });
  });

type Refusal = { error: string; message: string; details: ErrorDetails };

const isRefusal = (answer: unknown): answer is Refusal =>
  isRecord(answer) &&
  typeof answer.error === "string" &&
  typeof answer.message === "string" &&
  isRecord(answer.details);

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
