import { ApiError, NoResponseError } from "./errors.js";
import { type AttemptInfo, type Call, callApi, keepResponse, responseOf, type Settings, sleep } from "./http-calls.js";
import type { SendRequest, TemplateFilter } from "./requests.js";
import type { Message, MessageStatus, Template } from "./resources.js";

export * from "./api-errors.js";
export * from "./errors.js";
export { type AttemptInfo, responseOf } from "./http-calls.js";
export type * from "./requests.js";
export type * from "./resources.js";
export * from "./verify-webhook.js";
export * from "./version.js";

const DEFAULT_ORIGIN = "http://localhost:3000";

export type ClientOptions = {
  /** Required; `undefined` is accepted by the types only, so that a variable of the environment can be passed as it is. */
  apiKey: string | undefined;
  apiSecret: string | undefined;
  /** The gateway's address, such as `https://messages.example.com`. By default that of a demo on this machine. */
  origin?: string | undefined;
  /** How many times a call is repeated that may be; 3 by default. */
  maxRetries?: number | undefined;
  /** How long one attempt may take; 20 by default. The API responds to a send within 15 seconds. */
  timeoutSeconds?: number | undefined;
  /** How long a call may take with its retries and the waits between them; 60 by default. */
  deadlineSeconds?: number | undefined;
  /** Makes the HTTP requests in place of the global `fetch`, for instance through a proxy. */
  fetch?: typeof fetch | undefined;
  /** Called after each attempt, for logs. What it throws is ignored. */
  onAttempt?: ((attempt: AttemptInfo) => void) | undefined;
};

export type CallOptions = { signal?: AbortSignal | undefined };

export type SendOptions = CallOptions & {
  /** At most 255 characters. By default the request's own `idempotencyKey`, or else a random UUID. */
  idempotencyKey?: string | undefined;
};

export type WaitOptions = CallOptions & {
  /** `DELIVERED` by default. */
  until?: "SENT" | "DELIVERED" | "READ" | undefined;
  /** 1,800 by default, half an hour. */
  timeoutSeconds?: number | undefined;
  /** Called with each status that was read. */
  onMessage?: ((message: Message) => void) | undefined;
};

/** When `waitFor` reads the status, in seconds after it began. Status calls count on the rate limits, too. */
export const POLL_AT_SECONDS = [1, 2, 3, 5, 15, 60, 300, 1_800] as const;

/**
 * The messaging API with one key. Keep the secret on your server. Every method may throw `ApiError`, `NoResponseError` and `AbortError`;
 * `responseOf` returns the headers and the request id of a result.
 */
export class Switchboard {
  // Private, so that a logged client does not show its secret.
  readonly #settings: Settings;

  constructor(options: ClientOptions) {
    const { apiKey, apiSecret, origin = DEFAULT_ORIGIN } = options;
    this.#settings = {
      apiKey: checkCredential("apiKey", apiKey),
      apiSecret: checkCredential("apiSecret", apiSecret),
      origin: readOrigin(origin),
      maxRetries: options.maxRetries ?? 3,
      timeoutSeconds: options.timeoutSeconds ?? 20,
      deadlineSeconds: options.deadlineSeconds ?? 60,
      fetch: options.fetch ?? globalThis.fetch,
      onAttempt: options.onAttempt,
    };
  }

  /**
   * Sends one message and returns it. Every attempt has the same idempotency key, so it is sent at most once. Give a key
   * of your own, such as the order's number, where your program may itself run twice.
   *
   * Where an earlier attempt reached the API, this is the message of that attempt with its present status, which may be
   * `PENDING`, `FAILED` or `UNKNOWN`, too. A `ChatGraphError` with `details.outcome` `unknown` may have been sent: read its
   * `details.messageId` until the status is known, and do not send it under another key.
   */
  send(request: SendRequest, options: SendOptions = {}): Promise<Message> {
    const idempotencyKey = options.idempotencyKey ?? request.idempotencyKey ?? crypto.randomUUID();
    // In the body, because a header cannot hold every character that a key may have.
    const body = { ...request, idempotencyKey };
    return this.#call({ method: "POST", path: "/public/messages/send", body, idempotencyKey, signal: options.signal });
  }

  /** Reads a message by the `id` of its send, not by `chatMessageId`. Throws `NotFoundError` where there is none. */
  getMessage(id: string, options: CallOptions = {}): Promise<Message> {
    return this.#call({ method: "GET", path: `/public/messages/${encodeURIComponent(id)}`, signal: options.signal });
  }

  /** Reads the approved templates, page after page. */
  async listTemplates(filter: TemplateFilter = {}, options: CallOptions = {}): Promise<Template[]> {
    const templates: Template[] = [];
    let last: Page | undefined;
    for await (const page of this.#pages(filter, options)) {
      templates.push(...page.templates);
      last = page;
    }
    return keepResponse(templates, last && responseOf(last));
  }

  /** Iterates over the approved templates, and reads the next page once it is needed. */
  async *iterateTemplates(
    filter: TemplateFilter = {},
    options: CallOptions = {},
  ): AsyncGenerator<Template, void, void> {
    for await (const { templates } of this.#pages(filter, options)) yield* templates;
  }

  async *#pages(filter: TemplateFilter, { signal }: CallOptions): AsyncGenerator<Page, void, void> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams([...given, ["limit", "100"], ...(cursor === null ? [] : [["cursor", cursor]])]);
      const page: Page = await this.#call({ method: "GET", path: `/public/templates?${query}`, signal });
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  /**
   * Reads a message until it has reached `until` or has failed, at the times of `POLL_AT_SECONDS`, and returns it; after
   * `timeoutSeconds` as it is then. READ may never come: many people have read receipts turned off.
   */
  async waitFor(id: string, options: WaitOptions = {}): Promise<Message> {
    const { until = "DELIVERED", timeoutSeconds = 1_800, onMessage, signal } = options;
    const startedAtMs = Date.now();
    const untilSecond = (second: number) => sleep(startedAtMs + second * 1_000 - Date.now(), { signal });
    const read = async () => {
      const message = await this.getMessage(id, { signal });
      onMessage?.(message);
      return message;
    };
    for (const second of POLL_AT_SECONDS.filter((second) => second < timeoutSeconds)) {
      await untilSecond(second);
      const message = await read().catch(unlessPassing);
      if (message && hasReached(message.status, until)) return message;
    }
    await untilSecond(timeoutSeconds);
    return read();
  }

  #call<T extends object>(call: Call): Promise<T> {
    return callApi<T>(this.#settings, call);
  }
}

type Page = { templates: Template[]; nextCursor: string | null };

const ADVANCING: readonly MessageStatus[] = ["SENT", "DELIVERED", "READ"];

/** A status of a later version, which is not listed here, is not final. */
const hasReached = (status: MessageStatus, until: MessageStatus): boolean =>
  status === "FAILED" || (ADVANCING.includes(status) && ADVANCING.indexOf(status) >= ADVANCING.indexOf(until));

/** A wait goes on where a read failed for a reason that passes by itself. */
const unlessPassing = (error: unknown): undefined => {
  const isPassing = error instanceof ApiError ? error.details.retryable === true : error instanceof NoResponseError;
  if (!isPassing) throw error;
};

/** The value is not quoted: it may be a secret. */
const checkCredential = (name: string, value: string | undefined): string => {
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(`${name} is required: letters, digits and _ only, as it was shown when the key was created.`);
};

const readOrigin = (origin: string): string => {
  if (/^https?:\/\//.test(origin) && URL.canParse(origin)) return new URL(origin).origin;
  throw new TypeError(`origin must be the gateway's address, such as https://messages.example.com, not "${origin}".`);
};
