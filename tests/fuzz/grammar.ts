import fc, { type Arbitrary } from "fast-check";
import type { Ending } from "../support/hang-ups";
import { actionRequests } from "./action-requests";
import { listenBodies } from "./listen-bodies";
import { sendBodies } from "./send-bodies";
import { json, text, type Vocabulary, wordsOf } from "./values";
import { webhookBodies } from "./webhook-bodies";

export type FuzzRequest = {
  kind: "send" | "read" | "listen" | "webhook" | "other" | "auth" | "page" | "action" | "hang-up";
  method: string;
  path: string;
  headers: [name: string, value: string][];
  /** Latin-1, one character a byte. */
  body: string | undefined;
  /** Signed over its exact bytes as WhatsApp signs. */
  isSigned: boolean;
  /** The client leaves after this part of its bytes, so many milliseconds later or with the first byte of the answer. */
  hangUp?: { part: number; after: number | "answer"; ending: Ending } | undefined;
};

const utf8 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

const NOT_JSON = [
  "",
  "{",
  "[",
  '{"a":1,"a":2}',
  "\xff\xfe",
  "\xef\xbb\xbf{}",
  '{"type":"text",}',
  "nul",
  '"\\ud800"',
  "[".repeat(5_000),
  '{"a":'.repeat(40),
  "\xc3\x28",
  "1e999",
  "\0",
];

const bytesOf = (value: Arbitrary<unknown>): Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: value.map((sent) => utf8(JSON.stringify(sent) ?? "null")) },
    { weight: 1, arbitrary: fc.constantFrom(...NOT_JSON) },
    {
      weight: 1,
      arbitrary: fc.tuple(value, fc.nat(200)).map(([sent, cut]) => utf8(JSON.stringify(sent) ?? "").slice(0, cut)),
    },
  );

// What a client can put on the wire: no control characters but tab.
const headerValue = text.map((value) =>
  utf8(value)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
    .trim(),
);
const HEADERS = wordsOf(`
  Idempotency-Key Content-Type Content-Encoding Accept Cookie Origin Range If-None-Match X-Forwarded-Host X-API-Key
  Next-Action RSC Next-Router-State-Tree X-Switchboard-Refusal X-Middleware-Subrequest Accept-Encoding Authorization Via
  Expect
`);
const someHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  fc.array(fc.tuple(fc.constantFrom(...HEADERS), headerValue), { maxLength: 3 }),
);

const percent = fc.oneof(
  text.map((value) => encodeURIComponent(value.toWellFormed())),
  fc.constantFrom("%", "%zz", "%E0%A4%A", "..", "%2e%2e%2f", "%00", ";", "*"),
);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];

const QUERY = wordsOf(`
  limit cursor name language category phoneNumberId older newer callbackUrl error hub.mode hub.verify_token hub.challenge
  _rsc
`);
const API_PATHS = wordsOf(`
  /api/health /api/cron/sweep /api/webhooks/whatsapp /api /api/v1/public /api//health
`);
const AUTH_ROUTES = wordsOf(`
  session csrf providers signin signin/x signout callback/credentials callback/github error _log verify-request
`);
const FORM = wordsOf("csrfToken email password json callbackUrl redirect");
const PAGES = wordsOf(`
  / /docs /sign-in /dashboard /dashboard/messages /dashboard/templates /dashboard/phone-numbers
  /dashboard/settings/api-keys
`);

/** Any request of a client of ours, of WhatsApp's or of a stranger's. */
export const requests = (words: Vocabulary): Arbitrary<FuzzRequest> => {
  const good: [string, string][] = [
    ["apiKey", words.apiKey],
    ["apiSecret", words.apiSecret],
  ];
  const credentials = fc.oneof(
    { weight: 12, arbitrary: fc.constant(good) },
    fc.tuple(headerValue, headerValue).map(([key, secret]): [string, string][] => [
      ["apiKey", key],
      ["X-API-Secret", secret],
    ]),
  );
  const build = (
    kind: FuzzRequest["kind"],
    parts: {
      method: Arbitrary<string>;
      path: Arbitrary<string>;
      headers?: Arbitrary<[string, string][]>;
      body?: Arbitrary<string | undefined>;
      signed?: Arbitrary<boolean>;
    },
  ) =>
    fc
      .tuple(
        parts.method,
        parts.path,
        parts.headers ?? fc.constant<[string, string][]>([]),
        someHeaders,
        parts.body ?? fc.constant(undefined),
        parts.signed ?? fc.constant(false),
      )
      .map(
        ([method, path, headers, more, body, isSigned]): FuzzRequest => ({
          kind,
          method,
          path,
          headers: [...headers, ...more],
          body,
          isSigned,
        }),
      );
  const mostlyMethod = (method: string) =>
    fc.oneof({ weight: 20, arbitrary: fc.constant(method) }, fc.constantFrom(...METHODS));
  const pairs = (names: string[], maxLength: number) =>
    fc
      .array(fc.tuple(fc.constantFrom(...names), percent), { maxLength })
      .map((all) => all.map((pair) => pair.join("=")).join("&"));
  const withQuery = (path: Arbitrary<string>) =>
    fc.tuple(path, pairs(QUERY, 3)).map(([plain, query]) => (query === "" ? plain : `${plain}?${query}`));
  const session = fc.constantFrom<[string, string][]>(
    [],
    [["Cookie", words.cookie]],
    [["Cookie", "next-auth.session-token=e30.e30.e30"]],
  );
  const form = pairs(FORM, 5);
  const ofWorkspace = (id: string) => `/api/v1/workspaces/${id}/phone-numbers`;
  return fc.oneof(
    { weight: 12, arbitrary: actionRequests(words) },
    {
      weight: 10,
      arbitrary: build("send", {
        method: mostlyMethod("POST"),
        path: fc.constant("/api/v1/public/messages/send"),
        headers: credentials,
        body: bytesOf(sendBodies(words)),
      }),
    },
    {
      weight: 8,
      arbitrary: build("webhook", {
        method: mostlyMethod("POST"),
        path: withQuery(fc.constant("/api/webhooks/whatsapp")),
        body: bytesOf(webhookBodies(words)),
        signed: fc.oneof({ weight: 15, arbitrary: fc.constant(true) }, fc.constant(false)),
      }),
    },
    {
      weight: 3,
      arbitrary: build("read", {
        method: mostlyMethod("GET"),
        path: withQuery(
          fc.oneof(
            fc.constant("/api/v1/public/templates"),
            fc.constantFrom(words.messageId, "msg_1").map((id) => `/api/v1/public/messages/${id}`),
            percent.map((id) => `/api/v1/public/messages/${id}`),
          ),
        ),
        headers: credentials,
      }),
    },
    {
      weight: 3,
      arbitrary: build("listen", {
        method: mostlyMethod("POST"),
        path: fc.constant("/api/v1/listen"),
        headers: fc.oneof({ weight: 12, arbitrary: fc.constant(Object.entries(words.testKey)) }, credentials),
        body: bytesOf(listenBodies(words)),
      }),
    },
    {
      weight: 2,
      arbitrary: build("other", {
        method: fc.constantFrom(...METHODS),
        path: withQuery(
          fc.oneof(
            fc.constantFrom(...API_PATHS, ofWorkspace(words.workspaceId)),
            fc.array(percent, { maxLength: 4 }).map((parts) => `/api/${parts.join("/")}`),
            percent.map(ofWorkspace),
          ),
        ),
        headers: session,
        body: fc.oneof(fc.constant(undefined), bytesOf(json)),
      }),
    },
    {
      weight: 1,
      arbitrary: build("auth", {
        method: fc.constantFrom("GET", "POST", "POST"),
        path: withQuery(fc.constantFrom(...AUTH_ROUTES).map((route) => `/api/auth/${route}`)),
        headers: session,
        body: fc.oneof(form, bytesOf(json)),
      }),
    },
    {
      weight: 1,
      arbitrary: build("page", {
        method: mostlyMethod("GET"),
        path: withQuery(
          fc.oneof(
            fc.constantFrom(...PAGES),
            percent.map((id) => `/dashboard/messages/${id}`),
            percent.map((id) => `/docs/errors/${id}`),
            percent.map((id) => `/${id}`),
          ),
        ),
        headers: session,
        body: fc.constant(undefined),
      }),
    },
  );
};
