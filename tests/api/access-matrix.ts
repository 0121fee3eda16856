import type { Line, TestWorkspace } from "../support/workspace";

/** Who asks: without anything, three roles of one workspace, another's owner and key, and keys of the workspace. */
export const VISITORS = [
  "anonymous",
  "member",
  "admin",
  "owner",
  "otherOwner",
  "apiKey",
  "otherKey",
  "revokedKey",
] as const;

export type Visitor = (typeof VISITORS)[number];

/** The workspace that everything asked for belongs to. */
export type Target = TestWorkspace & { messageId: string; line: Line };

/** A status, and where a redirect or an action leads to: `307 /sign-in`. */
type Expected = number | `${number} /${string}`;

export type Entry = {
  /** The file under `app` that answers; of an action `file#name`. */
  file: string;
  method: "GET" | "POST";
  /** `id` takes the place of the target's own where the path, or the action's field, holds one. */
  path: (target: Target, id?: string) => string;
  /** An id like the target's that nobody has; absent where the entry takes none. */
  absentId?: string;
  body?: (target: Target) => unknown;
  /** The text of the form behind which the action is, and its fields. */
  form?: { text: string; fields: (target: Target, id?: string) => Record<string, string> };
  expected: Record<Visitor, Expected>;
};

const everybody = (answer: Expected): Entry["expected"] => ({
  anonymous: answer,
  member: answer,
  admin: answer,
  owner: answer,
  otherOwner: answer,
  apiKey: answer,
  otherKey: answer,
  revokedKey: answer,
});
const nobody = everybody(401);
const keys = (own: Expected, other: Expected) => ({ ...nobody, apiKey: own, otherKey: other });
const people = (own: Expected, other: Expected, stranger: Expected) => ({
  ...everybody(stranger),
  member: own,
  admin: own,
  owner: own,
  otherOwner: other,
});
const signedIn = (own: Expected, other: Expected = own) => people(own, other, "307 /sign-in");

const api = (
  method: Entry["method"],
  file: string,
  path: Entry["path"],
  expected: Entry["expected"],
  more: Partial<Entry> = {},
): Entry => ({ file: `api/${file}/route.ts`, method, path, expected, ...more });
const page = (file: string, path: Entry["path"], expected: Entry["expected"], absentId?: string): Entry => ({
  ...{ file: `${file}page.tsx`, method: "GET", path, expected },
  ...(absentId === undefined ? {} : { absentId }),
});
const action = (name: string, form: NonNullable<Entry["form"]>, expected: Entry["expected"], absentId?: string) => ({
  ...{ file: `dashboard/actions.ts#${name}`, method: "POST" as const, path: () => "/dashboard", form, expected },
  ...(absentId === undefined ? {} : { absentId }),
});

const NO_ID = (prefix: string) => `${prefix}_01m7w7dr16j57xj0jhk1qj5zzz`;
const AUTH = "auth/[...nextauth]";
const MESSAGE = "v1/public/messages/[messageId]";
const NUMBERS = "v1/workspaces/[workspaceId]/phone-numbers";
const text = (target: Target) => ({
  ...{ type: "text", phone: "447700900123", content: "Hi" },
  phoneNumberId: target.phoneNumberId,
});

export const MATRIX: Entry[] = [
  api("GET", "[[...path]]", () => "/api/nothing", everybody(404)),
  api("GET", AUTH, () => "/api/auth/session", everybody(200)),
  api("GET", AUTH, () => "/api/auth/providers", everybody(200)),
  api("GET", AUTH, () => "/api/auth/callback/credentials", everybody(405)),
  api("POST", AUTH, () => "/api/auth/session", everybody(405)),
  api("POST", AUTH, () => "/api/auth/callback/credentials", everybody("302 /api/auth/signin")),
  api("POST", AUTH, () => "/api/auth/signout", everybody("302 /api/auth/signout")),
  api("GET", "cron/sweep", () => "/api/cron/sweep", nobody),
  api("GET", "health", () => "/api/health", everybody(200)),
  api("GET", "sandbox/[...path]", ({ line }) => `/api/sandbox/v25.0/${line.whatsappPhoneNumberId}`, nobody),
  api("POST", "sandbox/[...path]", ({ line }) => `/api/sandbox/v25.0/${line.whatsappPhoneNumberId}/messages`, nobody),
  api("GET", "v1/public/[[...path]]", () => "/api/v1/public/nothing", everybody(404)),
  api("GET", MESSAGE, ({ messageId }, id = messageId) => `/api/v1/public/messages/${id}`, keys(200, 404), {
    absentId: NO_ID("msg"),
  }),
  api("POST", "v1/public/messages/send", () => "/api/v1/public/messages/send", keys(201, 400), { body: text }),
  api("GET", "v1/public/templates", () => "/api/v1/public/templates", keys(200, 200)),
  api(
    "GET",
    NUMBERS,
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/phone-numbers`,
    people(200, 404, 401),
    { absentId: NO_ID("ws") },
  ),
  api("GET", "webhooks/whatsapp", () => "/api/webhooks/whatsapp", everybody(403)),
  api("POST", "webhooks/whatsapp", () => "/api/webhooks/whatsapp", nobody, { body: () => ({}) }),

  page("", () => "/", everybody(200)),
  page("docs/", () => "/docs", everybody(200)),
  page("docs/errors/", () => "/docs/errors", everybody(200)),
  page("docs/errors/[code]/", () => "/docs/errors/NOT_FOUND", everybody(200)),
  page("sign-in/", () => "/sign-in", people("307 /dashboard", "307 /dashboard", 200)),
  page("dashboard/", () => "/dashboard", signedIn(200)),
  page("dashboard/messages/", () => "/dashboard/messages", signedIn(200)),
  page(
    "dashboard/messages/[messageId]/",
    ({ messageId }, id = messageId) => `/dashboard/messages/${id}`,
    signedIn(200, 404),
    NO_ID("msg"),
  ),
  page("dashboard/phone-numbers/", () => "/dashboard/phone-numbers", signedIn(200)),
  page(
    "dashboard/phone-numbers/[phoneNumberId]/",
    ({ phoneNumberId }, id = phoneNumberId) => `/dashboard/phone-numbers/${id}`,
    signedIn(200, 404),
    NO_ID("pn"),
  ),
  page("dashboard/settings/api-keys/", () => "/dashboard/settings/api-keys", { ...signedIn(200), member: 404 }),
  page("dashboard/templates/", () => "/dashboard/templates", signedIn(200)),

  action("signOut", { text: "Sign out", fields: () => ({}) }, everybody("303 /sign-in")),
  action(
    "switchWorkspace",
    { text: "Switch to", fields: ({ workspaceId }, id = workspaceId) => ({ workspaceId: id }) },
    people("303 /dashboard", 404, "303 /sign-in"),
    NO_ID("ws"),
  ),
];
