// A client of the Switchboard messaging API in one file: copy it into your project. It needs nothing but `fetch` and
// `crypto`, as Node 20, Deno, Bun and edge functions have them. Keep the secret on your server.
//
//   const client = new Switchboard({ apiKey: env.CHAT_API_KEY, apiSecret: env.CHAT_API_SECRET });
//   const { id } = await client.send({ type: "text", phone: "447700900003", content: "Your order is ready." });
//   const { status } = await client.waitFor(id, { until: "DELIVERED" });

const ORIGIN = "http://localhost:3000";

export const STATUSES = ["PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"] as const;
export type MessageStatus = (typeof STATUSES)[number];

/** Instants are ISO 8601. */
export type Message = {
  id: string;
  status: MessageStatus;
  chatMessageId: string | null;
  failureReason: string | null;
  sentAt: string | null;
  deliveredAt: string | null;
  readAt: string | null;
  createdAt: string;
  /** This key had sent it before: nothing was sent by this call. */
  idempotentReplay: boolean;
};

export type Recipient = { phone: string } | { contactId: string };
export type CarouselCard = {
  index: number;
  bodyValues?: Record<string, string>;
  buttonValues?: { index: number; sub_type: string; parameters: { type: "text"; text: string } }[];
  header?: { format: "image" | "video" | "document" } & ({ link: string } | { id: string });
};
/** One way to fill a template: values by their keys (`{}` where it has none), cards, or WhatsApp's own components. */
export type Filling =
  | { templateVariables: Record<string, string>; carousel?: { cards: CarouselCard[] } }
  | { bodyParameters: Record<string, string> }
  | { carousel: { cards: CarouselCard[] } }
  | { templateComponents: unknown[] };

export type SendRequest = Recipient & {
  /** The line that sends; needed once the workspace has several. */
  phoneNumberId?: string;
  revalidateFlowSession?: boolean;
} & (
    | { type: "text"; content: string }
    /** `content` is the payload as JSON text. */
    | { type: "interactive"; content: string }
    | ({ type: "template"; templateName: string; templateLanguage?: string } & Filling)
  );

export type Template = {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  parameterFormat: string;
  components: unknown;
  /** The keys that a send fills. */
  variables: {
    key: string;
    where: string[];
    example: string | null;
    maxLength: number | null;
    required: boolean;
    /** The keys of which a send brings exactly one. */
    oneOf?: string[];
    /** No string can fill it: send `templateComponents`. */
    fillWith?: "templateComponents";
  }[];
  qualityScore: string | null;
  phoneNumberIds: string[];
  updatedAt: string;
};

export type TemplateFilter = { name?: string; language?: string; category?: string; phoneNumberId?: string };

export const ERROR_CODES = [
  "VALIDATION_ERROR",
  "PHONE_NUMBER_REQUIRED",
  "PHONE_NUMBER_NOT_FOUND",
  "PHONE_NUMBER_INACTIVE",
  "NO_PHONE_NUMBER",
  "TEMPLATE_NOT_APPROVED",
  "CHAT_GRAPH_ERROR",
  "UNAUTHORIZED",
  "PLAN_LIMIT_EXCEEDED",
  "FORBIDDEN",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TIMEOUT",
  "IDEMPOTENCY_CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR",
  "SERVICE_UNAVAILABLE",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export type ErrorDetails = {
  requestId?: string;
  docsUrl?: string;
  field?: string;
  issues?: { path: string; message: string }[];
  retryable?: boolean;
  retryAfterSeconds?: number;
  /** Of a CHAT_GRAPH_ERROR: whether the message may have been sent all the same. */
  outcome?: "not_sent" | "unknown";
  messageId?: string;
  [more: string]: unknown;
};

/** A refusal of the API. `code` says which, `details.docsUrl` leads to what to do. */
export class SwitchboardError extends Error {
  override readonly name = "SwitchboardError";
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(status: number, { error, message, details }: ErrorBody) {
    super(message);
    this.status = status;
    this.code = error;
    this.details = details;
  }
}

export type Options = {
  apiKey: string;
  apiSecret: string;
  origin?: string;
  /** How often a call is repeated that may be; 3 by default. */
  maxRetries?: number;
  /** A `Retry-After` beyond this is left to you, as a 429 may be for minutes; 60 by default. */
  maxWaitSeconds?: number;
  fetch?: typeof fetch;
};

export type WaitOptions = {
  until?: "SENT" | "DELIVERED" | "READ";
  /** In seconds; half an hour by default. */
  timeout?: number;
  onMessage?: (message: Message) => void;
};

/** When `waitFor` asks, in seconds after it began: few enough for the limits, which count look-ups too. */
export const POLL_AT_SECONDS = [5, 15, 60, 300, 1_800] as const;

const TIMEOUT_MS = 30_000;

export class Switchboard {
  private readonly options: Required<Options>;

  constructor(options: Options) {
    const { origin = ORIGIN, maxRetries = 3, maxWaitSeconds = 60, fetch = globalThis.fetch, ...key } = options;
    this.options = { ...key, origin, maxRetries, maxWaitSeconds, fetch };
  }

  /**
   * Sends one message. Every try of the call has the same idempotency key, so it arrives once at most. Give a key of your
   * own, such as the order's number, where your program may itself run twice.
   */
  send(request: SendRequest, options: { idempotencyKey?: string } = {}): Promise<Message> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    return this.call<Message>("POST", "/messages/send", { body: request, idempotencyKey });
  }

  /** By the `id` of a send, not by `chatMessageId`. */
  getMessage(id: string): Promise<Message> {
    return this.call<Message>("GET", `/messages/${encodeURIComponent(id)}`);
  }

  /** Every approved template, page after page. */
  async listTemplates(filter: TemplateFilter = {}): Promise<Template[]> {
    const templates: Template[] = [];
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams([...given, ["limit", "100"], ...(cursor === null ? [] : [["cursor", cursor]])]);
      const page: Page = await this.call<Page>("GET", `/templates?${query}`);
      templates.push(...page.templates);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return templates;
  }

  /**
   * Asks until the message has come as far as `until` or has failed, and returns it as it stands then; after `timeout`
   * seconds as it stands by that time; `onMessage` is called with each status that was read. READ may never come: many people have
   * read receipts switched off.
   */
  async waitFor(id: string, options: WaitOptions = {}): Promise<Message> {
    const { until = "DELIVERED", timeout = 1_800, onMessage = () => {} } = options;
    const look = async () => {
      const message = await this.getMessage(id);
      onMessage(message);
      return message;
    };
    const startedAtMs = Date.now();
    const untilSecond = (second: number) => sleep(startedAtMs + second * 1_000 - Date.now());
    for (const second of POLL_AT_SECONDS.filter((second) => second < timeout)) {
      await untilSecond(second);
      const message = await look();
      if (message.status === "FAILED" || rank(message.status) >= rank(until)) return message;
    }
    await untilSecond(timeout);
    return look();
  }

  private async call<T>(method: string, path: string, content?: { body: unknown; idempotencyKey: string }): Promise<T> {
    const { apiKey, apiSecret, origin, maxRetries, maxWaitSeconds } = this.options;
    const init = {
      method,
      headers: {
        apiKey,
        apiSecret,
        ...(content ? { "Content-Type": "application/json", "Idempotency-Key": content.idempotencyKey } : {}),
      },
      ...(content ? { body: JSON.stringify(content.body) } : {}),
    };
    for (let retry = 0; ; retry++) {
      const attempt = await this.attempt<T>(`${origin}/api/v1/public${path}`, init);
      if ("data" in attempt) return attempt.data;
      const waitSeconds = attempt.retryAfterSeconds ?? 2 ** retry;
      if (!attempt.mayRetry || retry >= maxRetries || waitSeconds > maxWaitSeconds) throw attempt.failure;
      // Callers that were refused together do not come back together.
      await sleep(waitSeconds * 1_000 + Math.random() * 250);
    }
  }

  private async attempt<T>(url: string, init: RequestInit): Promise<Attempt<T>> {
    // By itself: as a method of something else, some runtimes refuse it.
    const { fetch } = this.options;
    let response: Response;
    let body: Body<T>;
    try {
      response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      body = await readJson(response);
    } catch (failure) {
      // No answer, or none of the API's: with its idempotency key even a send may be repeated.
      return { failure, mayRetry: true };
    }
    const { data, error, message = "", details } = body;
    if (response.ok && data !== undefined) return { data };
    if (!error || !details) {
      const failure = new Error(`${url} answered ${response.status}, and not as the API does.`);
      return { failure, mayRetry: response.status >= 500 };
    }
    const header = response.headers.get("Retry-After");
    return {
      failure: new SwitchboardError(response.status, { error, message, details }),
      mayRetry: details.retryable === true,
      retryAfterSeconds: header === null ? details.retryAfterSeconds : Number(header),
    };
  }
}

type Page = { templates: Template[]; nextCursor: string | null };
type ErrorBody = { error: ErrorCode; message: string; details: ErrorDetails };
type Body<T> = Partial<{ data: T } & ErrorBody>;
type Attempt<T> = { data: T } | { failure: unknown; mayRetry: boolean; retryAfterSeconds?: number | undefined };

const readJson = async <T>(response: Response): Promise<Body<T>> => {
  const body: unknown = await response.json();
  return typeof body === "object" && body !== null ? body : {};
};

/** A status of tomorrow, which is not listed here, is not final. */
const rank = (status: MessageStatus): number => STATUSES.indexOf(status);

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
