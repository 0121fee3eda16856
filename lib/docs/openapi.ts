import { z } from "zod";
import { API_ROOT, type Endpoint, readQuery } from "@/lib/api/endpoint";
import { ENDPOINTS } from "@/lib/api/endpoints";
import { TEMPLATE_QUERY } from "@/lib/api/endpoints/list-templates";
import { ApiError } from "@/lib/api/error-resource";
import { SEND_BODY } from "@/lib/api/read-send-request";
import { COMMON_HEADERS, type HeaderName, OPTIONAL_HEADERS } from "@/lib/api/response-headers";
import { type ErrorCode, type Issue, invalid } from "@/lib/core/app-error";
import { issuesThrownBy } from "@/lib/http/issues";
import { EVENTS, type Event } from "@/lib/outgoing/events/events";
import { ERROR_CATALOGUE, statusesOf } from "./error-catalogue";

/** JSON Schema, as zod writes it. */
export type Schema = Record<string, unknown>;

/** The partner API as OpenAPI 3.1, from the declarations of its endpoints and events. */
export function openApiDocument(origin: string, endpoints: readonly Endpoint[] = ENDPOINTS): Schema {
  const { schemaOf, schemas } = componentsOf();
  const writer = writerOf(origin, schemaOf);
  const paths: Record<string, Schema> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: writer.operation(endpoint) };
  }
  const webhooks = Object.fromEntries(
    Object.entries(EVENTS).map(([name, event]) => [name, { post: writer.event(event) }]),
  );
  schemaOf(ApiError);
  return {
    openapi: "3.1.0",
    info: {
      title: "Switchboard messaging API",
      version: "1",
      description: `Send WhatsApp messages, read their status, list templates. ${origin}/docs`,
      contact: { name: "The operator of this deployment", url: `${origin}/docs` },
      // The license of this document, from which callers generate code; same as the clients'.
      license: { name: "MIT", identifier: "MIT" },
    },
    tags: [...new Set(endpoints.map(({ tag }) => tag)), "Webhooks" as const].map((name) => ({
      name,
      description: name === "Webhooks" ? `${TAGS[name]} ${origin}/docs/webhooks` : TAGS[name],
    })),
    servers: [{ url: `${origin}${API_ROOT}` }],
    security: [
      { apiKey: [], apiSecret: [] },
      { xApiKey: [], xApiSecret: [] },
    ],
    paths,
    webhooks,
    components: {
      schemas,
      headers: Object.fromEntries(
        Object.entries({ ...COMMON_HEADERS, ...OPTIONAL_HEADERS }).map(([name, [type, description]]) => [
          name,
          { schema: { type }, description },
        ]),
      ),
      securitySchemes: {
        apiKey: credential("apiKey", "The public half of a key, `pk_live_…` or `pk_test_…`."),
        apiSecret: credential("apiSecret", "The secret half, shown once when the key is made."),
        xApiKey: credential("X-API-Key", "Another spelling of `apiKey`."),
        xApiSecret: credential("X-API-Secret", "Another spelling of `apiSecret`."),
      },
    },
  };
}

const TAGS: Record<Endpoint["tag"] | "Webhooks", string> = {
  Messages: "Send a message, and read what happened to it.",
  Templates: "The templates that WhatsApp has approved.",
  Webhooks: "Events that an endpoint of yours receives.",
};

const credential = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description });

/** Writes zod's schemas as JSON Schema; those that have an `id` are collected as components, and referred to. */
function componentsOf() {
  const schemas: Record<string, Schema> = {};
  const schemaOf = (schema: z.ZodType, io: "input" | "output" = "output"): Schema => {
    const written: Schema = JSON.parse(
      JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: "any" })).replaceAll(
        '"#/$defs/',
        '"#/components/schemas/',
      ),
    );
    const { $schema: _, $defs, ...rest } = written;
    Object.assign(schemas, $defs);
    return rest;
  };
  return { schemas, schemaOf };
}

const json = (schema: Schema, more: Schema) => ({ "application/json": { schema, ...more } });

/** A single example has no name. */
function examplesAs(examples: readonly (readonly [string, unknown])[]): Schema {
  const [first, ...others] = examples;
  if (first?.[0] === "" && others.length === 0) return { example: first[1] };
  return { examples: Object.fromEntries(examples.map(([name, value]) => [name, { value }])) };
}

function writerOf(origin: string, schemaOf: (schema: z.ZodType, io?: "input" | "output") => Schema) {
  const parameters = (place: "path" | "query" | "header", object: z.ZodObject | undefined): Schema[] => {
    if (!object) return [];
    const { properties = {}, required = [] } = schemaOf(object, "input") as {
      properties?: Record<string, Schema>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: place,
      ...(required.includes(name) ? { required: true } : {}),
      schema,
      description,
    }));
  };

  const requestBody = ({ body, examples }: Endpoint): Schema => {
    if (!body) return {};
    const [first = {}, ...others] = body.schemas.map((schema) => schemaOf(schema, "input"));
    const shown = Object.entries(examples).map(([name, { body }]) => [name, body] as const);
    const schema = others.length === 0 ? first : { oneOf: [first, ...others] };
    return { requestBody: { required: true, content: json(schema, examplesAs(shown)) } };
  };

  const response = ({ description, data, example, headers = [] }: NonNullable<Endpoint["responses"][200]>): Schema => ({
    description,
    headers: headersOf(headers),
    content: json(
      {
        type: "object",
        properties: {
          success: { const: true, description: "Errors have another shape, without this field." },
          data: { ...schemaOf(data), description },
        },
        required: ["success", "data"],
      },
      { example: { success: true, data: example } },
    ),
  });

  /** One answer for each status, with an example for each code. */
  const refusals = (codes: readonly ErrorCode[], faults: readonly Issue[] | undefined): Schema => {
    const statuses = [...new Set(codes.flatMap(statusesOf))];
    const at = (status: number) => codes.filter((code) => statusesOf(code).includes(status));
    return Object.fromEntries(statuses.map((status) => [String(status), refusal(at(status), faults)]));
  };

  const refusal = (codes: readonly ErrorCode[], faults: readonly Issue[] = []): Schema => {
    const isTemporary = codes.some((code) => TEMPORARY.includes(code));
    return {
      description: codes.map((code) => ERROR_CATALOGUE[code].title).join("; "),
      headers: headersOf(["Link", ...(isTemporary ? (["Retry-After"] as const) : [])]),
      content: json(schemaOf(ApiError), {
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            { summary: ERROR_CATALOGUE[code].title, value: exampleError(origin, code, faults) },
          ]),
        ),
      }),
    };
  };

  const operation = (endpoint: Endpoint): Schema => {
    const { id, tag, summary, description, params, query, headers, responses, errors } = endpoint;
    const taken = [...parameters("path", params), ...parameters("query", query), ...parameters("header", headers)];
    return {
      operationId: id,
      tags: [tag],
      summary,
      description,
      ...(taken.length > 0 ? { parameters: taken } : {}),
      ...requestBody(endpoint),
      responses: {
        ...Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, response(one)])),
        ...refusals(errors, FAULTS[id]),
      },
    };
  };

  const event = ({ id, summary, description, schema, example }: Event): Schema => ({
    operationId: id,
    tags: ["Webhooks"],
    summary,
    description,
    security: [],
    parameters: WEBHOOK_HEADERS.map(([name, description]) => ({
      name,
      in: "header",
      required: true,
      schema: { type: "string" },
      description,
    })),
    requestBody: { required: true, content: json(schemaOf(schema), { example }) },
    responses: { "2XX": { description: "Received. Anything else is tried again, for about 75 hours." } },
  });

  return { operation, event };
}

const WEBHOOK_HEADERS = [
  ["webhook-id", "Names the event. The same in every attempt, so that you can ignore what you have."],
  ["webhook-timestamp", "When this attempt was made, in seconds since 1970."],
  ["webhook-signature", "`v1,` and the HMAC-SHA256 of `id.timestamp.body`, in base64. Two during a rotation."],
] as const;

/** Codes whose responses may have a Retry-After header. */
const TEMPORARY: readonly ErrorCode[] = ["RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "CHAT_GRAPH_ERROR"];

/** Returns a response's headers: the common ones and its own. */
const headersOf = (own: readonly HeaderName[]): Schema =>
  Object.fromEntries(
    [...Object.keys(COMMON_HEADERS), ...own].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** The issues of a faulty call, by operation. */
const FAULTS: Readonly<Record<string, readonly Issue[]>> = {
  sendMessage: issuesThrownBy(() =>
    SEND_BODY.read({ type: "text", phone: "12", contnt: "Hi" }, { headers: new Headers(), repeated: [] }),
  ),
  listTemplates: issuesThrownBy(() => readQuery(TEMPLATE_QUERY, new URLSearchParams({ limit: "500", catgory: "x" }))),
};

function exampleError(origin: string, code: ErrorCode, faults: readonly Issue[]) {
  const { message, details } =
    code === "VALIDATION_ERROR" && faults.length > 0
      ? invalid([...faults])
      : { message: ERROR_CATALOGUE[code].title, details: {} };
  return {
    error: code,
    message,
    details: {
      requestId: "req_01kd7x2m9q4v8c3t6w1z5r0n",
      docsUrl: `${origin}/docs/errors/${code}`,
      ...details,
      retryable: ERROR_CATALOGUE[code].retry.advice === "yes",
    },
  };
}
