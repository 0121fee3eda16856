import { ERROR_CLASSES } from "./api-errors.js";
import { ApiError, NoResponseError } from "./errors.js";
import type { ErrorDetails } from "./resources.js";
import { readRetryAfterMs, retryDelayMs } from "./retry-delay.js";

export type Settings = {
  apiKey: string;
  apiSecret: string;
  origin: string;
  maxRetries: number;
  timeoutSeconds: number;
  deadlineSeconds: number;
  fetch: typeof fetch;
};

export type Call = {
  method: "GET" | "POST";
  /** Below `/api/v1`. */
  path: string;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
};

type Failure = { error: ApiError | NoResponseError; mayRetry: boolean; retryAfterMs?: number | undefined };
type Attempt<T> = { data: T } | Failure;

/**
 * Makes one call of the API and returns its `data`. Repeats it, unchanged and under its idempotency key, where no
 * response arrived or the response says that it may be repeated. Throws `ApiError` or `NoResponseError`.
 */
export const callApi = async <T>(settings: Settings, call: Call): Promise<T> => {
  const { maxRetries, deadlineSeconds } = settings;
  const endsAtMs = Date.now() + deadlineSeconds * 1_000;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  for (let retry = 0; ; retry++) {
    const timeoutMs = Math.max(1, Math.min(settings.timeoutSeconds * 1_000, endsAtMs - Date.now()));
    const attempt = await attemptCall<T>(settings, { ...call, body, timeoutMs });
    if ("data" in attempt) return attempt.data;
    const delayMs = retryDelayMs(retry, attempt.retryAfterMs);
    // A wait that leaves no time for the call after it helps nobody.
    if (!attempt.mayRetry || retry >= maxRetries || Date.now() + delayMs >= endsAtMs) throw attempt.error;
    await sleep(delayMs, call.signal);
  }
};

const attemptCall = async <T>(
  { apiKey, apiSecret, origin, fetch }: Settings,
  {
    method,
    path,
    body,
    timeoutMs,
    idempotencyKey,
    signal,
  }: Omit<Call, "body"> & { body: string | undefined; timeoutMs: number },
): Promise<Attempt<T>> => {
  const url = `${origin}/api/v1${path}`;
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
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
      // A redirect would carry the secret to another address.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const reason = timeout.aborted ? `No response within ${timeoutMs / 1_000} s` : "The connection failed";
    return { error: new NoResponseError(`${reason}: ${method} ${url}`, { idempotencyKey, cause }), mayRetry: true };
  }
  const answer = readJson(text);
  if (response.ok && isRecord(answer) && answer.success === true) return { data: answer.data as T };
  return failureOf(response, answer, { url, idempotencyKey });
};

const failureOf = (
  { status, headers }: Response,
  answer: unknown,
  { url, idempotencyKey }: { url: string; idempotencyKey: string | undefined },
): Failure => {
  const asked = readRetryAfterMs(headers.get("Retry-After"), Date.now());
  if (!isRefusal(answer)) {
    const message = `${url} returned ${status}, but not from the API. Check the address and any proxy in front of it.`;
    // A proxy in front replied, or the response was cut off.
    const mayRetry = status >= 500 || status === 429 || (status >= 200 && status < 300);
    return { error: new NoResponseError(message, { status, idempotencyKey }), mayRetry, retryAfterMs: asked };
  }
  const { error: code, message, details } = answer;
  const known: Record<string, typeof ApiError> = ERROR_CLASSES;
  const ErrorClass = (Object.hasOwn(known, code) ? known[code] : undefined) ?? ApiError;
  return {
    error: new ErrorClass({ code, status, message, details, idempotencyKey }),
    mayRetry: details.retryable === true,
    retryAfterMs: asked ?? (details.retryAfterSeconds ?? 0) * 1_000,
  };
};

/** Resolves after `ms` milliseconds, or rejects with the reason of `signal` once it is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
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
