import { randomBytes, randomInt } from "node:crypto";
import type { toTemplateResource } from "@/lib/api/endpoints/list-templates";
import type { toMessageResource } from "@/lib/api/message-resource";
import type { ErrorDetails } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { readDocument } from "@/lib/operations/document";
import { testServers } from "./environment";
import type { PlatformRequest, ScriptedAnswer } from "./platform";
import { PASSWORD, provision } from "./provision";
import { sql } from "./rows";
import { notePhone, noteSecrets } from "./run-logs";
import { signatureOf } from "./webhooks";

export type Sign = { email: string; password: string };

export type Line = {
  id: string;
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  accessToken: string;
};

/** The JSON of an answer; which parts are there depends on the status, and a test says which it expects. */
export type AnswerBody = {
  success: boolean;
  data: ReturnType<typeof toMessageResource> & {
    templates: ReturnType<typeof toTemplateResource>[];
    nextCursor: string | null;
    phoneNumbers: Record<string, unknown>[];
  };
  error: string;
  message: string;
  details: ErrorDetails & { requestId: string; docsUrl: string };
};

export type Answer = { status: number; headers: Headers; text: string; body: AnswerBody };

export type TestWorkspace = {
  baseUrl: string;
  workspaceId: string;
  owner: Sign;
  admin: Sign;
  member: Sign;
  phoneNumberId: string;
  /** Of the first line. */
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  lines: Record<string, Line>;
  contacts: Record<string, string>;
  templates: Record<string, string>;
  apiKey: string;
  apiSecret: string;
  keys: Record<string, { apiKey: string; apiSecret: string }>;
  /** This workspace's own client address. */
  clientAddress: string;
  /** The same through another server. */
  at: (baseUrl: string) => Calls;
} & Calls;

export type Calls = {
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  send: (body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  status: (messageId: string) => Promise<Answer>;
};

export type CallOptions = {
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  rawBody?: BodyInit;
  headers?: Record<string, string>;
  /** null sends none. */
  key?: { apiKey: string; apiSecret: string } | null;
};

export type WorkspaceOptions = {
  mode?: "live" | "test";
  plan?: "free" | "starter" | "growth" | "unlimited";
  messageLimit?: number;
  lines?: {
    ref: string;
    isActive?: boolean;
    isDefault?: boolean;
    mode?: "live" | "test";
    whatsappPhoneNumberId?: string;
    whatsappBusinessAccountId?: string;
    accessToken?: string;
  }[];
  /** As WhatsApp lists them; put on the first line's business account. */
  templates?: Record<string, unknown>[];
  contacts?: { ref: string; phone: string; name?: string }[];
  /** Further keys of the workspace's mode, by ref. */
  extraKeys?: string[];
};

/** A workspace of its own for one test: owner, admin and member, one live line and key unless asked otherwise. */
export const provisionWorkspace = async (options: WorkspaceOptions = {}): Promise<TestWorkspace> => {
  const { baseUrl, environment } = testServers();
  Object.assign(process.env, environment);
  const unique = randomBytes(6).toString("hex");
  const mode = options.mode ?? "live";
  const sign = (role: string): Sign => ({
    email: `${role}-${unique}@example.test`,
    password: PASSWORD,
  });
  const [owner, admin, member] = [sign("owner"), sign("admin"), sign("member")];
  const account = `${randomInt(10 ** 13, 10 ** 14)}`;
  const lines = (options.lines ?? [{ ref: "main" }]).map((line) => ({
    label: `Line ${line.ref}`,
    mode,
    displayPhoneNumber: "+44 20 7946 0123",
    whatsappPhoneNumberId: `${randomInt(10 ** 13, 10 ** 14)}`,
    whatsappBusinessAccountId: account,
    accessToken: `EAA${unique}`,
    isActive: true,
    ...line,
  }));
  const reading = readDocument({
    workspaces: [
      {
        ref: `test-${unique}`,
        name: `Test ${unique}`,
        plan: options.plan ?? "unlimited",
        ...(options.messageLimit === undefined ? {} : { messageLimit: options.messageLimit }),
        members: [
          { ...owner, name: "Olga Owner", role: "owner" },
          { ...admin, name: "Ada Admin", role: "admin" },
          { ...member, name: "Max Member", role: "member" },
        ],
        phoneNumbers: lines,
        templates: (options.templates ?? []).map((template) => ({
          mode,
          whatsappBusinessAccountId: account,
          template,
        })),
        contacts: options.contacts ?? [],
        apiKeys: [
          { ref: "main", label: "main", mode },
          { ref: "other", label: "other", mode: mode === "live" ? "test" : "live" },
          ...(options.extraKeys ?? []).map((ref) => ({ ref, label: ref, mode })),
        ],
      },
    ],
  });
  if ("faults" in reading) throw new Error(reading.faults.join("\n"));
  const [workspace] = await provision(reading.document);
  if (!workspace) throw new Error("provisioned nothing");
  await readTemplatesLater(workspace.id);

  const keys = Object.fromEntries(
    Object.entries(workspace.apiKeys).map(([ref, { apiKey, apiSecret }]) => [
      ref,
      { apiKey, apiSecret: apiSecret ?? "" },
    ]),
  );
  noteSecrets("a password", [owner.password, admin.password, member.password]);
  noteSecrets(
    "an access token",
    lines.map(({ accessToken }) => accessToken),
  );
  const main = keys.main ?? { apiKey: "", apiSecret: "" };
  const clientAddress = `${randomInt(128, 190)}.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  const at = (origin: string): Calls => {
    const call: Calls["call"] = (method, path, { body, rawBody, headers, key = main } = {}) =>
      request(method, `${origin}${path}`, {
        ...(rawBody === undefined
          ? body === undefined
            ? {}
            : { body: JSON.stringify(body) }
          : { body: rawBody, duplex: "half" }),
        headers: {
          "content-type": "application/json",
          "x-forwarded-for": clientAddress,
          ...(key ? { apiKey: key.apiKey, apiSecret: key.apiSecret } : {}),
          ...headers,
        },
      });
    return {
      call,
      send: (body, headers = {}) => {
        notePhone(isRecord(body) ? body.phone : undefined);
        return call("POST", "/api/v1/public/messages/send", { body, headers });
      },
      status: (messageId) => call("GET", `/api/v1/public/messages/${messageId}`),
    };
  };
  const [first] = lines;
  return {
    baseUrl,
    workspaceId: workspace.id,
    owner,
    admin,
    member,
    phoneNumberId: workspace.phoneNumbers[first?.ref ?? ""] ?? "",
    whatsappPhoneNumberId: first?.whatsappPhoneNumberId ?? "",
    whatsappBusinessAccountId: first?.whatsappBusinessAccountId ?? account,
    lines: Object.fromEntries(lines.map((line) => [line.ref, { ...line, id: workspace.phoneNumbers[line.ref] ?? "" }])),
    contacts: workspace.contacts,
    templates: workspace.templates,
    ...main,
    keys,
    clientAddress,
    at,
    ...at(baseUrl),
  };
};

/** The sweeper reads the templates of a new account; a test that is about something else must not meet that. */
const readTemplatesLater = (workspaceId: string) => sql`
  with account as (
    select distinct workspace_id, whatsapp_business_account_id as id from phone_numbers
    where workspace_id = ${workspaceId} and mode = 'live'
  ), known as (
    insert into template_reads (workspace_id, whatsapp_business_account_id) select workspace_id, id from account
    on conflict do nothing
  )
  insert into jobs (kind, id, cause, workspace_id, due_at, payload)
  select 'templates', workspace_id || '/' || id, workspace_id, workspace_id, now() + interval '6 hours',
    jsonb_build_object('account', id, 'wholeAt', now() + interval '6 hours') from account
  on conflict (kind, id) do update set due_at = excluded.due_at, payload = excluded.payload`;

export const request = async (
  method: string,
  url: string,
  init: RequestInit & { duplex?: "half" } = {},
): Promise<Answer> => {
  const response = await fetch(url, { method, redirect: "manual", ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: isJson(text) ? JSON.parse(text) : {} };
};

/** Everything that reached WhatsApp for one of its objects (a number or a business account), in order. */
export const platformRequests = async (objectId: string, edge?: string): Promise<PlatformRequest[]> => {
  const response = await fetch(`${testServers().platformUrl}/__requests/${objectId}`);
  const all: PlatformRequest[] = await response.json();
  return edge === undefined ? all : all.filter((request) => request.edge === edge);
};

/** What WhatsApp answers next on one edge of an object, in order; then it accepts again. */
export const scriptPlatform = async (objectId: string, edge: string, answers: ScriptedAnswer[]): Promise<void> => {
  await fetch(`${testServers().platformUrl}/__script/${objectId}/${edge}`, {
    method: "POST",
    body: JSON.stringify(answers),
  });
};

/** The same for messages of a line, or the first of a workspace. */
export const scriptMessages = (line: Pick<Line, "whatsappPhoneNumberId">, answers: ScriptedAnswer[]): Promise<void> =>
  scriptPlatform(line.whatsappPhoneNumberId, "messages", answers);

/** An error as WhatsApp writes it. */
export const graphError = (code: number, message = "Refused", extra: Record<string, unknown> = {}): ScriptedAnswer => ({
  status: 400,
  json: { error: { message: `(#${code}) ${message}`, type: "OAuthException", code, fbtrace_id: "Atrace", ...extra } },
});

/** Posts a webhook, signed over its exact bytes unless another signature is given. */
export const postWebhook = (
  body: unknown,
  headers: Record<string, string> = {},
  baseUrl = testServers().baseUrl,
): Promise<Answer> => {
  const raw = typeof body === "string" ? body : JSON.stringify(body);
  return request("POST", `${baseUrl}/api/webhooks/whatsapp`, {
    body: raw,
    headers: { "content-type": "application/json", "x-hub-signature-256": signatureOf(raw), ...headers },
  });
};

/** The same, which is taken. */
export const deliver = async (body: unknown, baseUrl?: string): Promise<void> => {
  const { status, text } = await postWebhook(body, {}, baseUrl);
  if (status !== 200) throw new Error(`a webhook was not taken: ${status} ${text}`);
};

export type StatusItem = {
  id: string;
  status: string;
  timestamp?: string;
  biz_opaque_callback_data?: string;
  errors?: unknown[];
  recipient_id?: string;
  recipient_user_id?: string;
  pricing?: unknown;
};

/** A webhook with statuses of messages of one line. */
export const statusWebhook = (
  line: { whatsappPhoneNumberId: string; whatsappBusinessAccountId: string },
  statuses: StatusItem[],
) => ({
  object: "whatsapp_business_account",
  entry: [
    {
      id: line.whatsappBusinessAccountId,
      changes: [
        {
          field: "messages",
          value: {
            messaging_product: "whatsapp",
            metadata: { display_phone_number: "442079460123", phone_number_id: line.whatsappPhoneNumberId },
            statuses: statuses.map((status) => ({ timestamp: `${Math.floor(Date.now() / 1_000)}`, ...status })),
          },
        },
      ],
    },
  ],
});

/** WhatsApp reports statuses of messages of a line, or the first of a workspace. */
export const report = (line: Parameters<typeof statusWebhook>[0], ...statuses: StatusItem[]): Promise<void> =>
  deliver(statusWebhook(line, statuses));

const isJson = (text: string) => /^\s*[[{"]/.test(text);
