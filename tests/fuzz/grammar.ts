import fc, { type Arbitrary } from "fast-check";

/** What the grammar may name of a real workspace, so that requests get beyond the first check. */
export type Vocabulary = {
  apiKey: string;
  apiSecret: string;
  cookie: string;
  workspaceId: string;
  phoneNumberId: string;
  contactId: string;
  messageId: string;
  whatsappMessageId: string;
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  templates: string[];
};

export type FuzzRequest = {
  kind: "send" | "read" | "webhook" | "other" | "auth" | "page";
  method: string;
  path: string;
  headers: [name: string, value: string][];
  /** Latin-1, one character a byte. */
  body: string | undefined;
  /** Signed over its exact bytes as the platform signs. */
  isSigned: boolean;
};

const utf8 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

const NASTY = [
  ...[
    "",
    " ",
    "\0",
    "\u0000a",
    "\ud800",
    "\udfff\ud800",
    "\ufeff",
    "\u202e",
    "👋".repeat(40),
    "é",
    "ẞ",
    "ﷺ",
    "a\u0301",
  ],
  ...["null", "undefined", "NaN", "true", "-0", "1e309", "9007199254740993", "__proto__", "constructor", "toString"],
  ...[
    "'",
    '"; drop table messages; --',
    "${7*7}",
    "{{1}}",
    "{{constructor}}",
    "%00",
    "%n%s",
    "../../etc/passwd",
    "\\",
    "\r\nX: y",
  ],
  ...[
    "<script>",
    "447700900123",
    "+44 7700 900123",
    "x".repeat(300),
    "9".repeat(40),
    "\t\n\v",
    "    ",
    "en_US",
    "order_ready",
  ],
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 3, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 500 }) },
);
const scalar: Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, -0, Number.MAX_SAFE_INTEGER),
  fc.integer(),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(text, tie("json"), { maxKeys: 4 }),
  ),
}));

/** A good value mostly, any other sometimes. */
const mostly = (good: Arbitrary<unknown>, weight = 5): Arbitrary<unknown> =>
  fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: json });

const record = (fields: Record<string, Arbitrary<unknown>>): Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      fc.record(fields, { requiredKeys: [] }),
      fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.dictionary(text, json, { maxKeys: 2 })),
    )
    .map(([known, unknown]) => ({ ...known, ...unknown }));

const phone = fc.constantFrom(
  "447700900123",
  "+44 (7700) 900-124",
  "447700900125",
  "00447700900123",
  "07700900123",
  "1".repeat(16),
);
const link = fc.constantFrom(
  "https://127.0.0.1/a.png",
  "http://[::1]/",
  "file:///etc/passwd",
  "//x",
  "https://user:p@x/",
  "http://0x7f.1/",
  "x:",
);

const interactive = () => {
  const button = record({
    type: fc.constant("reply"),
    id: text,
    title: text,
    reply: record({ id: text, title: text }),
  });
  const section = record({
    title: text,
    rows: fc.array(record({ id: text, title: text, description: text }), { maxLength: 12 }),
  });
  return record({
    type: mostly(
      fc.constantFrom("button", "list", "cta_url", "flow", "product", "location_request_message", "address_message"),
    ),
    header: record({ type: fc.constantFrom("text", "image", "video"), text, image: record({ link, id: text }) }),
    body: mostly(fc.oneof(text, record({ text }))),
    footer: record({ text }),
    buttons: mostly(fc.array(button, { maxLength: 5 })),
    action: record({
      buttons: fc.array(button, { maxLength: 4 }),
      button: text,
      sections: fc.array(section, { maxLength: 3 }),
      name: text,
      parameters: json,
    }),
  });
};

const send = (words: Vocabulary): Arbitrary<unknown> => {
  const parameter = record({
    type: fc.constantFrom("text", "currency", "date_time", "image", "payload"),
    text,
    image: record({ link }),
    payload: text,
  });
  const component = record({
    type: fc.constantFrom("header", "body", "button", "carousel", "limited_time_offer"),
    sub_type: fc.constantFrom("url", "quick_reply", "copy_code", "flow"),
    index: mostly(fc.constantFrom("0", 0, 1, "9")),
    parameters: mostly(fc.array(parameter, { maxLength: 3 })),
    cards: fc.array(record({ card_index: fc.nat(12), components: json }), { maxLength: 3 }),
  });
  const card = record({
    index: mostly(fc.nat(11)),
    bodyValues: mostly(fc.oneof(fc.dictionary(text, text, { maxKeys: 4 }), fc.array(text, { maxLength: 3 }))),
    buttonValues: mostly(fc.array(record({ index: fc.nat(3), sub_type: text, parameters: json }), { maxLength: 2 })),
    header: record({ format: fc.constantFrom("image", "video", "IMAGE"), link, id: text }),
  });
  const common = {
    phone: mostly(phone),
    contactId: mostly(fc.constantFrom(words.contactId, "ct_none")),
    phoneNumberId: mostly(fc.constantFrom(words.phoneNumberId, words.whatsappPhoneNumberId, "pn_none")),
    idempotencyKey: mostly(fc.oneof(text, fc.constantFrom("key-1", "key-2"))),
    revalidateFlowSession: mostly(fc.boolean()),
  };
  const whole = fc.record({ type: fc.constant("text"), phone: fc.constant("447700900123"), content: text });
  return fc.oneof(
    whole,
    record({ ...common, type: fc.constant("text"), content: mostly(text) }),
    record({
      ...common,
      type: fc.constant("interactive"),
      content: mostly(interactive().map((value) => JSON.stringify(value))),
    }),
    record({
      ...common,
      type: fc.constant("template"),
      templateName: mostly(fc.constantFrom(...words.templates)),
      templateLanguage: mostly(fc.constantFrom("en_US", "en", "EN-us", "de")),
      templateVariables: mostly(
        fc.dictionary(
          fc.oneof(text, fc.constantFrom("1", "2", "header_link", "c0_1", "c0_header_link")),
          fc.oneof(text, link),
          { maxKeys: 5 },
        ),
      ),
      bodyParameters: mostly(fc.array(fc.oneof(text, parameter), { maxLength: 3 })),
      templateComponents: mostly(fc.array(component, { maxLength: 3 })),
      carousel: mostly(record({ cards: fc.array(card, { maxLength: 4 }) })),
    }),
    json,
  );
};

const webhook = (words: Vocabulary): Arbitrary<unknown> => {
  const timestamp = mostly(fc.oneof(fc.constantFrom("1790000000", "0", "-1", "99999999999999", 1790000000), text));
  const wamid = mostly(fc.constantFrom(words.whatsappMessageId, "wamid.NONE"));
  const status = record({
    id: wamid,
    status: mostly(fc.constantFrom("sent", "delivered", "read", "failed", "played", "deleted", "warning")),
    timestamp,
    recipient_id: mostly(phone),
    biz_opaque_callback_data: mostly(fc.constantFrom(words.messageId, "msg_none")),
    errors: mostly(
      fc.array(
        record({ code: mostly(fc.integer()), title: text, message: text, error_data: record({ details: text }) }),
        { maxLength: 2 },
      ),
    ),
    conversation: json,
    pricing: json,
  });
  const message = record({
    from: mostly(phone),
    id: mostly(fc.oneof(text, fc.constant("wamid.IN1"))),
    timestamp,
    type: mostly(fc.constantFrom("text", "interactive", "image", "reaction", "unsupported", "button")),
    text: record({ body: text }),
    interactive: record({
      type: fc.constantFrom("nfm_reply", "button_reply"),
      nfm_reply: record({ name: text, response_json: text }),
    }),
    context: record({ id: wamid }),
  });
  const value = record({
    messaging_product: fc.constant("whatsapp"),
    metadata: mostly(
      record({
        display_phone_number: text,
        phone_number_id: mostly(fc.constantFrom(words.whatsappPhoneNumberId, "0")),
      }),
    ),
    contacts: mostly(fc.array(record({ wa_id: mostly(phone), profile: record({ name: text }) }), { maxLength: 2 })),
    statuses: mostly(fc.array(status, { maxLength: 4 })),
    messages: mostly(fc.array(message, { maxLength: 3 })),
    event: mostly(fc.constantFrom("APPROVED", "REJECTED", "PAUSED", "DISABLED_UPDATE", "FLAGGED")),
    message_template_id: mostly(fc.integer()),
    message_template_name: mostly(fc.constantFrom(...words.templates)),
    message_template_language: mostly(fc.constantFrom("en_US", "de")),
    message_template_components: json,
    reason: json,
    new_quality_score: text,
    new_category: text,
    display_phone_number: text,
    current_limit: text,
    requested_verified_name: text,
    decision: text,
  });
  const change = record({
    field: mostly(
      fc.constantFrom(
        "messages",
        "message_template_status_update",
        "message_template_quality_update",
        "template_category_update",
        "message_template_components_update",
        "phone_number_quality_update",
        "phone_number_name_update",
        "account_update",
        "flows",
      ),
    ),
    value: mostly(value),
  });
  const entry = record({
    id: mostly(fc.constantFrom(words.whatsappBusinessAccountId, "0")),
    time: mostly(fc.integer()),
    changes: mostly(fc.array(change, { maxLength: 3 })),
  });
  return mostly(
    record({
      object: mostly(fc.constant("whatsapp_business_account")),
      entry: mostly(fc.array(entry, { maxLength: 3 })),
    }),
    12,
  );
};

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
const someHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  fc.array(
    fc.tuple(
      fc.constantFrom(
        "Idempotency-Key",
        "Content-Type",
        "Content-Encoding",
        "Accept",
        "Cookie",
        "Origin",
        "Range",
        "If-None-Match",
        "X-Forwarded-Host",
        "X-API-Key",
        "Next-Action",
        "RSC",
        "Next-Router-State-Tree",
        "X-Switchboard-Refusal",
        "X-Middleware-Subrequest",
        "Accept-Encoding",
        "Authorization",
        "Via",
        "Expect",
      ),
      headerValue,
    ),
    { maxLength: 3 },
  ),
);

const percent = fc.oneof(
  text.map((value) => encodeURIComponent(value.toWellFormed())),
  fc.constantFrom("%", "%zz", "%E0%A4%A", "..", "%2e%2e%2f", "%00", ";", "*"),
);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];

/** Any request of a client of ours, of the platform's or of a stranger's. */
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
  const query = fc.array(
    fc.tuple(
      fc.constantFrom(
        "limit",
        "cursor",
        "name",
        "language",
        "category",
        "phoneNumberId",
        "older",
        "newer",
        "callbackUrl",
        "error",
        "hub.mode",
        "hub.verify_token",
        "hub.challenge",
        "_rsc",
      ),
      percent,
    ),
    { maxLength: 3 },
  );
  const withQuery = (path: Arbitrary<string>) =>
    fc
      .tuple(path, query)
      .map(([plain, pairs]) =>
        pairs.length === 0 ? plain : `${plain}?${pairs.map((pair) => pair.join("=")).join("&")}`,
      );
  const session = fc.constantFrom<[string, string][]>(
    [],
    [["Cookie", words.cookie]],
    [["Cookie", "next-auth.session-token=e30.e30.e30"]],
  );
  const form = fc
    .array(fc.tuple(fc.constantFrom("csrfToken", "email", "password", "json", "callbackUrl", "redirect"), percent), {
      maxLength: 5,
    })
    .map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));
  return fc.oneof(
    {
      weight: 10,
      arbitrary: build("send", {
        method: mostlyMethod("POST"),
        path: fc.constant("/api/v1/public/messages/send"),
        headers: credentials,
        body: bytesOf(send(words)),
      }),
    },
    {
      weight: 8,
      arbitrary: build("webhook", {
        method: mostlyMethod("POST"),
        path: withQuery(fc.constant("/api/webhooks/whatsapp")),
        body: bytesOf(webhook(words)),
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
      weight: 2,
      arbitrary: build("other", {
        method: fc.constantFrom(...METHODS),
        path: withQuery(
          fc.oneof(
            fc.constantFrom(
              "/api/health",
              "/api/cron/sweep",
              "/api/webhooks/whatsapp",
              "/api",
              "/api/v1/public",
              "/api//health",
              `/api/v1/workspaces/${words.workspaceId}/phone-numbers`,
            ),
            fc.array(percent, { maxLength: 4 }).map((parts) => `/api/${parts.join("/")}`),
            percent.map((id) => `/api/v1/workspaces/${id}/phone-numbers`),
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
        path: withQuery(
          fc
            .constantFrom(
              "session",
              "csrf",
              "providers",
              "signin",
              "signin/x",
              "signout",
              "callback/credentials",
              "callback/github",
              "error",
              "_log",
              "verify-request",
            )
            .map((route) => `/api/auth/${route}`),
        ),
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
            fc.constantFrom(
              "/",
              "/docs",
              "/sign-in",
              "/dashboard",
              "/dashboard/messages",
              "/dashboard/templates",
              "/dashboard/phone-numbers",
              "/dashboard/settings/api-keys",
            ),
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
