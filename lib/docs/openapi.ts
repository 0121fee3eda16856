import { ERROR_STATUS, type ErrorCode } from "@/lib/core/app-error";
import {
  MESSAGE_EVENT_EXAMPLE,
  MESSAGE_EXAMPLE,
  SENDS,
  TEMPLATE_EVENT_EXAMPLE,
  TEMPLATE_EXAMPLE,
  TEST_EVENT_EXAMPLE,
} from "./calls";
import { ERROR_CATALOGUE, ERROR_CODES } from "./error-catalogue";
import { type HeaderName, headersOf, openApiHeaders } from "./openapi-headers";
import { openApiSchemas, type Schema } from "./openapi-schemas";

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema, more: Schema = {}) => ({ "application/json": { schema, ...more } });
const success = (data: Schema, description: string): Schema => ({
  type: "object",
  properties: {
    success: { const: true, description: "Errors have another shape, without this field." },
    data: { ...data, description },
  },
  required: ["success", "data"],
});

/** The partner API as OpenAPI 3.1, from the schemas that read its requests and the table of its errors. */
export function openApiDocument(origin: string): Schema {
  return {
    openapi: "3.1.0",
    info: {
      title: "Switchboard messaging API",
      version: "1",
      description: `Send WhatsApp messages, read their status, list templates. ${origin}/docs`,
      contact: { name: "The operator of this deployment", url: `${origin}/docs` },
      // Of this description, from which callers generate code; as the clients' own.
      license: { name: "MIT", identifier: "MIT" },
    },
    tags: [
      { name: "Messages", description: "Send a message, and read what happened to it." },
      { name: "Templates", description: "The templates that WhatsApp has approved." },
      { name: "Webhooks", description: `Events that an endpoint of yours receives. ${origin}/docs/webhooks` },
    ],
    servers: [{ url: `${origin}/api/v1/public` }],
    security: [
      { apiKey: [], apiSecret: [] },
      { xApiKey: [], xApiSecret: [] },
    ],
    paths: {
      "/messages/send": { post: send(origin) },
      "/messages/{messageId}": { get: message(origin) },
      "/templates": { get: templates(origin) },
    },
    webhooks: {
      message: { post: event("messageEvent", "A message changed its status", "MessageEvent", MESSAGE_EVENT_EXAMPLE) },
      template: {
        post: event("templateEvent", "A template changed its status", "TemplateEvent", TEMPLATE_EVENT_EXAMPLE),
      },
      test: { post: event("testEvent", "An endpoint is tested", "WebhookTestEvent", TEST_EVENT_EXAMPLE) },
    },
    components: {
      schemas: openApiSchemas(),
      headers: openApiHeaders(),
      securitySchemes: {
        apiKey: header("apiKey", "The public half of a key, `pk_live_…` or `pk_test_…`."),
        apiSecret: header("apiSecret", "The secret half, shown once when the key is made."),
        xApiKey: header("X-API-Key", "Another spelling of `apiKey`."),
        xApiSecret: header("X-API-Secret", "Another spelling of `apiSecret`."),
      },
    },
  };
}

const header = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description });

/** What an endpoint of the caller receives (docs: /docs/webhooks). */
const event = (operationId: string, summary: string, schema: string, example: Schema) => ({
  operationId,
  tags: ["Webhooks"],
  summary,
  security: [],
  parameters: [
    ["webhook-id", "Names the event. The same in every attempt, so that you can ignore what you have."],
    ["webhook-timestamp", "When this attempt was made, in seconds since 1970."],
    ["webhook-signature", "`v1,` and the HMAC-SHA256 of `id.timestamp.body`, in base64. Two during a rotation."],
  ].map(([name, description]) => ({ name, in: "header", required: true, schema: { type: "string" }, description })),
  requestBody: { required: true, content: json(ref(schema), { example }) },
  responses: { "2XX": { description: "Received. Anything else is tried again, for about 75 hours." } },
});

const READ_CODES: ErrorCode[] = [
  ...(["VALIDATION_ERROR", "UNAUTHORIZED", "METHOD_NOT_ALLOWED"] as const),
  ...(["RATE_LIMIT_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"] as const),
];

/** The API refuses no role, and a POST is what its path takes. */
const NOT_OF_A_SEND: readonly ErrorCode[] = ["METHOD_NOT_ALLOWED", "FORBIDDEN"];

const send = (origin: string) => ({
  operationId: "sendMessage",
  tags: ["Messages"],
  summary: "Send a message",
  parameters: [
    {
      name: "Idempotency-Key",
      in: "header",
      schema: { type: "string", maxLength: 255 },
      description:
        "A repeat with the same key and request returns the first message with 200; one that was not sent is tried again, with 201. Send one always.",
    },
  ],
  requestBody: {
    required: true,
    content: json(
      { oneOf: ["SendText", "SendTemplate", "SendInteractive"].map(ref) },
      { examples: Object.fromEntries(Object.entries(SENDS).map(([type, { body }]) => [type, { value: body }])) },
    ),
  },
  responses: {
    "201": answer("The message, accepted by WhatsApp.", ref("Message"), {
      example: MESSAGE_EXAMPLE,
      headers: ["Warning"],
    }),
    "200": answer("A replay: the first message of this key. Nothing was sent.", ref("Message"), {
      example: { ...MESSAGE_EXAMPLE, idempotentReplay: true },
      headers: ["Idempotent-Replayed"],
    }),
    // 502 is CHAT_GRAPH_ERROR where WhatsApp, not the caller, is to blame.
    ...refusals(
      origin,
      ERROR_CODES.filter((code) => !NOT_OF_A_SEND.includes(code)),
    ),
    "502": refusal(origin, ["CHAT_GRAPH_ERROR"], ["Retry-After"]),
  },
});

const message = (origin: string) => ({
  operationId: "getMessage",
  tags: ["Messages"],
  summary: "Read a message and its status",
  parameters: [
    {
      name: "messageId",
      in: "path",
      required: true,
      schema: { type: "string" },
      description: "`data.id` of the send, not `chatMessageId`.",
    },
  ],
  responses: {
    "200": answer("The message as it stands.", ref("Message"), { example: MESSAGE_EXAMPLE }),
    ...refusals(origin, [...READ_CODES, "NOT_FOUND"]),
  },
});

const templates = (origin: string) => ({
  operationId: "listTemplates",
  tags: ["Templates"],
  summary: "List the approved templates",
  parameters: [
    ...Object.entries(TEMPLATE_FILTERS).map(([name, description]) => ({
      name,
      in: "query",
      schema: { type: "string", maxLength: 512 },
      description,
    })),
    {
      name: "limit",
      in: "query",
      schema: { type: "integer", minimum: 1, maximum: 100 },
      description: "How many a page has. Without it all come at once.",
    },
  ],
  responses: {
    "200": answer(
      "The approved templates, or a page of them.",
      {
        type: "object",
        properties: {
          templates: { type: "array", items: ref("Template"), description: "The records." },
          nextCursor: { type: ["string", "null"], description: "The `cursor` of the next page; null on the last." },
        },
        required: ["templates"],
      },
      { example: { templates: [TEMPLATE_EXAMPLE], nextCursor: null } },
    ),
    ...refusals(origin, [...READ_CODES, "PHONE_NUMBER_NOT_FOUND"]),
  },
});

const TEMPLATE_FILTERS = {
  name: "Templates of this name only.",
  language: "Templates in this language only, such as `en_US`.",
  category: "`UTILITY`, `MARKETING` or `AUTHENTICATION` only.",
  phoneNumberId: "Templates of this line’s business account only.",
  cursor: "`data.nextCursor` of the page before, unchanged.",
};

const answer = (
  description: string,
  data: Schema,
  { example, headers = [] }: { example: unknown; headers?: HeaderName[] },
) => ({
  description,
  headers: headersOf(headers),
  content: json(success(data, description), { example: { success: true, data: example } }),
});

/** Their answers may say when to come back. */
const TEMPORARY: readonly ErrorCode[] = ["RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "CHAT_GRAPH_ERROR"];

/** One answer for each status, with an example for each code. */
const refusals = (origin: string, codes: readonly ErrorCode[]) =>
  Object.fromEntries(
    [...new Set(codes.map((code) => ERROR_STATUS[code]))].map((status) => {
      const ofStatus = codes.filter((code) => ERROR_STATUS[code] === status);
      const isTemporary = ofStatus.some((code) => TEMPORARY.includes(code));
      return [`${status}`, refusal(origin, ofStatus, isTemporary ? ["Retry-After"] : [])];
    }),
  );

const refusal = (origin: string, codes: readonly ErrorCode[], headers: HeaderName[] = []) => ({
  description: codes.map((code) => ERROR_CATALOGUE[code].title).join("; "),
  headers: headersOf(["Link", ...headers]),
  content: json(ref("Error"), {
    examples: Object.fromEntries(codes.map((code) => [code, { value: exampleError(origin, code) }])),
  }),
});

const exampleError = (origin: string, code: ErrorCode) => ({
  error: code,
  message: ERROR_CATALOGUE[code].title,
  details: {
    requestId: "req_01kd7x2m9q4v8c3t6w1z5r0n",
    docsUrl: `${origin}/docs/errors/${code}`,
    retryable: ERROR_CATALOGUE[code].retry.advice === "yes",
  },
});
