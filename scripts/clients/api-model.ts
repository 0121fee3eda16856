import { z } from "zod";
import type { Endpoint } from "@/lib/api/endpoint";
import { ENDPOINTS } from "@/lib/api/endpoints";
import { isRecord, list, record, text } from "@/lib/core/json";
import { openApiDocument, type Schema } from "@/lib/docs/openapi";

/** A type of a field, as both languages can write it. */
export type FieldType =
  | { kind: "string" | "number" | "integer" | "boolean" | "unknown" | "null" }
  | { kind: "literal"; value: string }
  /** A model, or a named list of literals. */
  | { kind: "named"; name: string }
  | { kind: "array" | "map"; of: FieldType }
  | { kind: "union"; of: FieldType[] };

export type Field = { name: string; type: FieldType; isRequired: boolean; description: string };

export type Model = {
  name: string;
  description: string;
  fields: Field[];
  /** Whether it may have fields that are not listed. */
  isOpen: boolean;
  /** Fields of which at least one is required: `phone` or `contactId`. */
  oneRequired: string[];
};

/** A list of literals with a name: `MessageStatus`. */
export type Choice = { name: string; values: string[] };

export type ErrorCodeModel = { code: string; title: string; statuses: number[] };

export type TypeModel = {
  models: Model[];
  choices: Choice[];
  /** Unions of models, such as `SendRequest`. */
  unions: { name: string; members: string[] }[];
};

export type ApiModel = {
  /** What a caller sends. */
  requests: TypeModel;
  /** What the API returns, and what it posts to webhooks. */
  resources: TypeModel;
  errorCodes: ErrorCodeModel[];
};

/** Names that cannot be derived by the rules. */
const NAMES: Record<string, string> = {
  listTemplates: "TemplateFilter",
  "Error.error": "ErrorCode",
  "MessageEventData.status": "MessageStatus",
};
/** Enums that get a named type, because callers switch on their values. */
const CHOICES = ["Message.status", "MessageEventData.status", "Error.error"];
/** Left out of the filters, because the clients read all pages. */
const PAGING = ["limit", "cursor"];

/** What the clients are generated from: the types and error codes of our own OpenAPI document. */
export function readApiModel(endpoints: readonly Endpoint[] = ENDPOINTS): ApiModel {
  const document = openApiDocument("https://messages.example.com", endpoints);
  const schemas = record(record(document.components).schemas);
  const names = Object.keys(schemas).filter((name) => name !== "Error");
  const bodies = endpoints
    .flatMap(({ body }) => body ?? [])
    .map(({ name, schemas }) => ({
      name,
      members: schemas.map((schema) => String(schema.meta()?.id)),
    }));
  const sends = bodies.flatMap(({ members }) => members);
  const [requests, resources] = [createReader(sends), createReader(sends)];
  for (const name of names) (sends.includes(name) ? requests : resources).addModel(name, record(schemas[name]));
  for (const { id, query } of endpoints) {
    const name = NAMES[id] ?? `${id[0]?.toUpperCase()}${id.slice(1)}Query`;
    if (query) requests.addModel(name, filterSchema(query));
  }
  const { error, details } = record(record(schemas.Error).properties);
  resources.typeOf(error, "Error", "error");
  resources.typeOf(details, "Error", "details");
  const codes = list(record(error).enum).map(String);
  const events = names.filter((name) => name.endsWith("Event"));
  return {
    requests: { ...requests.read(), unions: bodies.filter(({ members }) => members.length > 1) },
    resources: { ...resources.read(), unions: [{ name: "WebhookEvent", members: events }] },
    errorCodes: codes.map((code) => errorCodeOf(document, code)),
  };
}

function createReader(sends: readonly string[]) {
  const models: Model[] = [];
  const choices: Choice[] = [];

  const nameOf = (parent: string, field: string, isItem: boolean): string => {
    const own = `${field[0]?.toUpperCase()}${field.slice(1)}`;
    // Types inside a request are named without its prefix: `Carousel`, `CarouselCard`.
    const prefix = sends.includes(parent) ? "" : parent;
    return NAMES[`${parent}.${field}`] ?? `${prefix}${isItem ? own.replace(/s$/, "") : own}`;
  };

  const addModel = (name: string, schema: Schema): FieldType => {
    if (!models.some((model) => model.name === name)) {
      const required = list(schema.required).map(String);
      const fields = Object.entries(record(schema.properties)).map(([field, given]): Field => {
        const isRequired = required.includes(field);
        const type = typeOf(given, name, field);
        // In a request null is the same as absent.
        const isNeverNull = isRequired && sends.includes(name);
        return {
          name: field,
          type: isNeverNull ? withoutNull(type) : type,
          isRequired,
          description: descriptionOf(record(given)),
        };
      });
      const oneRequired = list(schema.anyOf).flatMap((choice) => list(record(choice).required).map(String));
      const isOpen = schema.additionalProperties !== false;
      models.push({ name, description: text(schema.description), fields, isOpen, oneRequired });
    }
    return { kind: "named", name };
  };

  const typeOf = (given: unknown, parent: string, field: string, isItem = false): FieldType => {
    const schema = record(given);
    if (typeof schema.$ref === "string") return { kind: "named", name: schema.$ref.split("/").at(-1) ?? "" };
    const variants = [...list(schema.anyOf), ...list(schema.oneOf)].map(record);
    if (variants.length > 0) return unionOf(variants.map((variant) => variantOf(variant, variants, parent, field)));
    if (Array.isArray(schema.type)) {
      return unionOf(schema.type.map((type) => typeOf({ ...schema, type }, parent, field, isItem)));
    }
    if (typeof schema.const === "string") return { kind: "literal", value: schema.const };
    const values = list(schema.enum).map(String);
    if (values.length > 0) {
      if (!CHOICES.includes(`${parent}.${field}`)) return unionOf(values.map((value) => ({ kind: "literal", value })));
      const name = nameOf(parent, field, false);
      if (!choices.some((choice) => choice.name === name)) choices.push({ name, values });
      return { kind: "named", name };
    }
    if (schema.type === "array") return { kind: "array", of: typeOf(schema.items, parent, field, true) };
    if (schema.type === "object") {
      if (isRecord(schema.properties)) return addModel(nameOf(parent, field, isItem), schema);
      return { kind: "map", of: typeOf(schema.additionalProperties, parent, field) };
    }
    const simple = (["string", "number", "integer", "boolean", "null"] as const).find((type) => type === schema.type);
    return { kind: simple ?? "unknown" };
  };

  /** Alternative objects are distinguished by `type`, which becomes part of their names. */
  const variantOf = (variant: Schema, variants: Schema[], parent: string, field: string): FieldType => {
    const isOneOfSeveral = variants.filter(({ type }) => type === "object").length > 1;
    const tag = text(record(record(variant.properties).type).const);
    return typeOf(variant, parent, isOneOfSeveral && tag ? `${field}${tag[0]?.toUpperCase()}${tag.slice(1)}` : field);
  };

  return { addModel, typeOf, read: () => ({ models, choices }) };
}

function unionOf(of: FieldType[]): FieldType {
  const [only, ...others] = of;
  return only && others.length === 0 ? only : { kind: "union", of };
}

const withoutNull = (type: FieldType): FieldType =>
  type.kind === "union" ? unionOf(type.of.filter(({ kind }) => kind !== "null")) : type;

/** Returns a query's schema without the paging parameters. */
function filterSchema(query: z.ZodObject): Schema {
  const { properties } = z.toJSONSchema(query, { io: "input", unrepresentable: "any" });
  const filters = Object.entries(record(properties)).filter(([name]) => !PAGING.includes(name));
  return { type: "object", properties: Object.fromEntries(filters), additionalProperties: false };
}

/** The title and the statuses of a code, as the responses of the operations show them. */
function errorCodeOf(document: Schema, code: string): ErrorCodeModel {
  const operations = Object.values(record(document.paths)).flatMap((methods) => Object.values(record(methods)));
  const shown = operations.flatMap((operation) =>
    Object.entries(record(record(operation).responses)).flatMap(([status, response]) => {
      const { examples } = record(record(record(response).content)["application/json"]);
      const { summary } = record(record(examples)[code]);
      return summary ? [{ status: Number(status), title: text(summary) }] : [];
    }),
  );
  return { code, title: shown[0]?.title ?? "", statuses: [...new Set(shown.map(({ status }) => status))] };
}

const descriptionOf = (schema: Schema): string =>
  text(schema.description) ||
  list(schema.anyOf)
    .map((choice) => text(record(choice).description))
    .join("");
