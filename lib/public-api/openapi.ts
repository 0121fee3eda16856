import { ERROR_CATALOGUE, ERROR_CODES } from "@/lib/docs/error-catalogue";
import { ERROR_STATUS, type ErrorCode } from "@/lib/errors";
import { openApiSchemas, type Schema } from "./openapi-schemas";

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema, more: Schema = {}) => ({ "application/json": { schema, ...more } });
const success = (data: Schema): Schema => ({
  type: "object",
  properties: { success: { const: true }, data },
  required: ["success", "data"],
});

/** The partner API as OpenAPI 3.1, from the schemas that read its requests and the table of its errors. */
export const openApiDocument = (origin: string): Schema => ({
  openapi: "3.1.0",
  info: {
    title: "Switchboard messaging API",
    version: "1",
    description: `Send WhatsApp messages, read what became of them, list the templates. ${origin}/docs`,
  },
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
  components: {
    schemas: openApiSchemas(),
    securitySchemes: {
      apiKey: header("apiKey", "The public half of a key, `pk_live_…` or `pk_test_…`."),
      apiSecret: header("apiSecret", "The secret half, shown once when the key is made."),
      xApiKey: header("X-API-Key", "Another spelling of `apiKey`."),
      xApiSecret: header("X-API-Secret", "Another spelling of `apiSecret`."),
    },
  },
});

const header = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description });

const READ_CODES: ErrorCode[] = [
  ...(["VALIDATION_ERROR", "UNAUTHORIZED", "NOT_FOUND", "METHOD_NOT_ALLOWED"] as const),
  ...(["RATE_LIMIT_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"] as const),
];

const send = (origin: string) => ({
  operationId: "sendMessage",
  summary: "Send a message",
  parameters: [
    {
      ...{ name: "Idempotency-Key", in: "header", schema: { type: "string", maxLength: 255 } },
      description: "A repeat with the same key and request answers 200 with the first message. Send one always.",
    },
  ],
  requestBody: {
    required: true,
    content: json({ oneOf: ["SendText", "SendTemplate", "SendInteractive"].map(ref) }, { example: EXAMPLE_SEND }),
  },
  responses: {
    "201": { description: "The message, taken by the platform or on its way.", content: json(success(ref("Message"))) },
    "200": { description: "A replay: the first message of this key.", content: json(success(ref("Message"))) },
    // 502 is CHAT_GRAPH_ERROR where the platform, not the caller, is to blame.
    ...refusals(
      origin,
      ERROR_CODES.filter((code) => code !== "METHOD_NOT_ALLOWED"),
    ),
    "502": refusal(origin, ["CHAT_GRAPH_ERROR"]),
  },
});

const EXAMPLE_SEND = { type: "text", phone: "447700900003", content: "Your order is ready." };

const message = (origin: string) => ({
  operationId: "getMessage",
  summary: "Read a message and its status",
  parameters: [{ name: "messageId", in: "path", required: true, schema: { type: "string" } }],
  responses: {
    "200": { description: "The message as it stands.", content: json(success(ref("Message"))) },
    ...refusals(origin, READ_CODES),
  },
});

const templates = (origin: string) => ({
  operationId: "listTemplates",
  summary: "List approved templates and the keys that a send must fill",
  parameters: [
    ...["name", "language", "category", "phoneNumberId", "cursor"].map((name) => ({
      ...{ name, in: "query", schema: { type: "string", maxLength: 512 } },
    })),
    { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100 } },
  ],
  responses: {
    "200": {
      description: "A page of templates.",
      content: json(
        success({
          type: "object",
          properties: {
            templates: { type: "array", items: ref("Template") },
            nextCursor: { type: ["string", "null"] },
          },
          required: ["templates"],
        }),
      ),
    },
    ...refusals(origin, READ_CODES),
  },
});

/** One answer for each status, with an example for each code. */
const refusals = (origin: string, codes: readonly ErrorCode[]) =>
  Object.fromEntries(
    [...new Set(codes.map((code) => ERROR_STATUS[code]))].map((status) => [
      `${status}`,
      refusal(
        origin,
        codes.filter((code) => ERROR_STATUS[code] === status),
      ),
    ]),
  );

const refusal = (origin: string, codes: readonly ErrorCode[]) => ({
  description: codes.map((code) => ERROR_CATALOGUE[code].title).join("; "),
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
