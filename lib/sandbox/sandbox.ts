import { setTimeout as wait } from "node:timers/promises";
import { readJsonBody } from "./body";
import { errorResponse, GraphError, unknownObject } from "./graph-error";
import { mediaResponse } from "./media";
import { messagesResponse, type StatusPlan } from "./messages";
import { createSubscribedApps, phoneNumberResponse, phoneNumbersResponse } from "./phone-numbers";
import { DEFAULT_DELAYS_MS, type Delays } from "./recipients";
import type { SandboxTemplate } from "./template-layout";
import { createTemplates, type TemplateQuery } from "./templates";
import { batchResponse, checkToken } from "./tokens";
import { type Attempt, deliver, reviewBody, type Webhook } from "./webhooks";

const DEFAULT_BUSINESS_ACCOUNT_ID = "100000000000001";
const DEFAULT_RETRY_BASE_MS = 1_000;
const REVIEW_MS = 2_000;

/** A log event, without tokens. */
export type SandboxEvent =
  | { kind: "request"; at: string; method: string; path: string; status: number; send?: SandboxSend }
  | ({ kind: "webhook"; whatsappMessageId: string; status: string } & Attempt);

/** A call of the send endpoint with any response; `body` is undefined if it was not JSON or was not read. */
export type SandboxSend = { phoneNumberId: string; body: unknown };

export type SandboxOptions = {
  /** The path prefix before `/vNN.N`, such as `/api/sandbox`. */
  basePath?: string;
  /** Where status webhooks go; none are sent without it. */
  webhook: Webhook | undefined;
  templates: (query: TemplateQuery) => Promise<SandboxTemplate[]>;
  /** Whether an unknown template is accepted if its shape is valid. */
  acceptUnknownTemplates: boolean;
  /**
   * Whether a token may use an object (a line or an account); by default any but "expired…".
   * Required on a network, because anyone who can send makes the sandbox sign webhooks.
   */
  isAuthorized?: (access: { accessToken: string; objectId: string }) => Promise<boolean>;
  /** The account that owns a line, for the webhooks' `entry[].id`. */
  businessAccountOf?: (whatsappPhoneNumberId: string) => Promise<string | undefined>;
  /** Status times after a message was accepted. */
  delaysMs?: Delays;
  /** The pause before a webhook is retried; each further pause triples. */
  retryBaseMs?: number;
  /** Keeps status webhooks running on hosts that stop after the response. */
  background?: (work: Promise<unknown>) => void;
  log?: (event: SandboxEvent) => void;
};

export type Sandbox = {
  /** Responds as WhatsApp would; never throws for an invalid request. */
  handle: (request: Request) => Promise<Response>;
  /** Resolves when all webhooks of the messages so far were sent or abandoned. */
  idle: () => Promise<void>;
};

type Call = {
  request: Request;
  url: URL;
  objectId: string;
  edge: string;
  accessToken: string;
  /** The JSON of a POST, once the token was checked; undefined for anything else. */
  body: unknown;
  onDecision: (httpStatus: number) => void;
};

function planOf(options: SandboxOptions, pending: Set<Promise<unknown>>): StatusPlan {
  return {
    webhook: options.webhook,
    delaysMs: options.delaysMs ?? DEFAULT_DELAYS_MS,
    retryBaseMs: options.retryBaseMs ?? DEFAULT_RETRY_BASE_MS,
    businessAccountOf: async (id) => (await options.businessAccountOf?.(id)) ?? DEFAULT_BUSINESS_ACCOUNT_ID,
    background: (work) => {
      pending.add(work);
      const done = work.catch(() => {}).finally(() => pending.delete(work));
      options.background?.(done);
    },
    onAttempt: (attempt) => options.log?.({ kind: "webhook", ...attempt }),
  };
}

/** A fake WhatsApp API: strict validation, and test numbers that simulate responses and webhooks. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { basePath = "", acceptUnknownTemplates, log = () => {} } = options;
  // A host that knows its lines may use any text as ids; WhatsApp's own ids are numbers.
  const isOpen = options.isAuthorized ?? (async ({ objectId }) => OBJECT_ID.test(objectId));
  const templates = createTemplates(options.templates, (account, template) => {
    if (plan.webhook) plan.background(review(account, template, plan.webhook, plan.retryBaseMs));
  });
  const subscribedApps = createSubscribedApps();
  const pending = new Set<Promise<unknown>>();
  const plan = planOf(options, pending);

  const send = ({ objectId, accessToken, body, onDecision }: Call): Promise<Response> => {
    if (body === undefined) throw new GraphError(100, "The request body is not valid JSON.");
    const rules = {
      findByName: (name: string) => templates.findByName({ accessToken, whatsappPhoneNumberId: objectId, name }),
      acceptUnknown: acceptUnknownTemplates,
    };
    return messagesResponse({ whatsappPhoneNumberId: objectId, body, templates: rules, onDecision }, plan);
  };

  const edges = new Map<string, (call: Call) => Response | Promise<Response>>([
    ["POST messages", send],
    ["POST media", ({ request }) => mediaResponse(request)],
    ["GET message_templates", (call) => templates.list(accountOf(call), call.url)],
    ["POST message_templates", (call) => templates.create(accountOf(call), call.body)],
    ["GET phone_numbers", ({ objectId, url }) => phoneNumbersResponse(objectId, url.searchParams)],
    ["GET ", ({ objectId, url }) => phoneNumberResponse(objectId, url.searchParams)],
    ["GET subscribed_apps", ({ objectId }) => subscribedApps.read(objectId)],
    ["POST subscribed_apps", ({ objectId, body }) => subscribedApps.subscribe(objectId, body)],
    ["DELETE subscribed_apps", ({ objectId }) => subscribedApps.unsubscribe(objectId)],
  ]);

  const route = async (call: Call): Promise<Response> => {
    const { objectId, edge, request } = call;
    call.accessToken = readToken(request);
    // Only about the token itself, so its holder may ask.
    if (request.method === "POST" && objectId === "me" && edge === "") return batchResponse(request);
    const answer = edges.get(`${request.method} ${edge}`);
    const isKnown = answer && (await isOpen({ accessToken: call.accessToken, objectId }));
    if (!isKnown) throw unknownObject(request.method, objectId);
    // Never parses an unauthorized body.
    if (request.method === "POST" && edge !== "media") call.body = await readJsonBody(request);
    return answer(call);
  };

  return {
    handle: async (request) => {
      const at = new Date().toISOString();
      const { method } = request;
      const url = new URL(request.url);
      const { objectId, edge } = readPath(url.pathname, basePath);
      const isSend = method === "POST" && edge === "messages";
      let isLogged = false;
      const onDecision = (status: number) => {
        const send = isSend && { send: { phoneNumberId: objectId, body: call.body } };
        if (!isLogged) log({ kind: "request", at, method, path: url.pathname, status, ...send });
        isLogged = true;
      };
      const call: Call = { request, url, objectId, edge, accessToken: "", body: undefined, onDecision };
      const response = await route(call).catch((error: unknown) => {
        if (error instanceof GraphError) return errorResponse(error);
        throw error;
      });
      onDecision(response.status);
      return response;
    },
    idle: async () => {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}

async function review(account: string, template: SandboxTemplate, webhook: Webhook, retryBaseMs: number) {
  await wait(REVIEW_MS);
  const verdict = verdictOf(template.name);
  Object.assign(template, verdict);
  const { status, rejected_reason: reason } = verdict;
  await deliver(webhook, reviewBody(account, template, { status, reason }), { retryBaseMs, onAttempt: () => {} });
}

/** The result of a simulated review: approves a template unless its name asks for a rejection. */
export function verdictOf(templateName: string) {
  return templateName.endsWith("_rejected")
    ? ({ status: "REJECTED", rejected_reason: "INVALID_FORMAT" } as const)
    : ({ status: "APPROVED", rejected_reason: "NONE" } as const);
}

const accountOf = ({ accessToken, objectId }: Call) => ({
  accessToken,
  whatsappBusinessAccountId: objectId,
});

const OBJECT_ID = /^[1-9]\d{0,19}$/;

function readToken(request: Request): string {
  const given = /^Bearer\s+(\S.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  // Header values are bytes, which Request decodes as Latin-1.
  const token = given && Buffer.from(given, "latin1").toString("utf8");
  if (!token) throw new GraphError(190, "An access token is required to request this resource.");
  checkToken(token);
  return token;
}

/** `/v25.0/{object}/{edge}` after the base path; any other form is an unknown object. */
function readPath(pathname: string, basePath: string): { objectId: string; edge: string } {
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : "";
  const [, objectId, edge = ""] = /^\/v\d+\.\d+\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? [];
  return { objectId: objectId ?? pathname.split("/").at(-1) ?? "", edge: objectId ? edge : pathname };
}
