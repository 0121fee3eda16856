import { list, record, text } from "@/lib/core/json";
import { formatNumber } from "@/lib/core/text";
import type { Schema } from "./openapi";

export type ReferenceField = {
  /** `carousel.cards[].index`. */
  path: string;
  type: string;
  /** `at most 255 characters`. */
  limits: string[];
  isRequired: boolean;
  isNullable: boolean;
  description: string;
};

type ReferenceParameter = ReferenceField & { place: string };
type ReferenceBody = { name: string; fields: ReferenceField[] };
type ReferenceHeader = { name: string; description: string; isEverywhere: boolean };
export type ReferenceAnswer = {
  status: string;
  description: string;
  headers: string[];
  fields: ReferenceField[];
  /** By error code, or the only one. */
  examples: { name: string; body: unknown }[];
};

export type ReferenceOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  parameters: ReferenceParameter[];
  /** One per body type; common fields are in the first, which has no name. */
  bodies: ReferenceBody[];
  answers: ReferenceAnswer[];
};

/** The reference page's data, from the served OpenAPI document, so that the two cannot differ. */
export type Reference = {
  operations: ReferenceOperation[];
  headers: ReferenceHeader[];
  /** The body of every error response. */
  error: ReferenceField[];
};

export function readReference(document: Schema): Reference {
  const reader = readerOf(document);
  const components = record(document.components);
  const operations = Object.entries(record(document.paths)).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, operation]) => reader.operation(method, path, record(operation))),
  );
  const answers = operations.flatMap(({ answers }) => answers);
  const headers = Object.entries(record(components.headers)).map(([name, header]) => ({
    name,
    description: text(record(header).description),
    isEverywhere: answers.every((answer) => answer.headers.includes(name)),
  }));
  return { operations, headers, error: reader.fields(record(components.schemas).Error) };
}

function readerOf(document: Schema) {
  const resolve = (given: unknown): Schema => {
    const schema = record(given);
    if (typeof schema.$ref !== "string") return schema;
    return schema.$ref
      .slice(2)
      .split("/")
      .reduce<Schema>((place, name) => record(place[name]), document);
  };

  const fields = (given: unknown, above = ""): ReferenceField[] => {
    const schema = resolve(given);
    const required = list(schema.required);
    return Object.entries(record(schema.properties)).flatMap(([name, property]) => {
      const path = `${above}${name}`;
      const { inner, ...shown } = unwrap(property);
      const field = { path, ...shown, limits: limitsOf(inner), isRequired: required.includes(name) };
      const items = resolve(inner.items);
      const below = inner.type === "array" ? fields(items, `${path}[].`) : fields(inner, `${path}.`);
      return [field, ...below];
    });
  };

  /** Returns a nullable schema's non-null alternative, with the description of either. */
  const unwrap = (given: unknown) => {
    const schema = resolve(given);
    const choices = [...list(schema.anyOf), ...list(schema.oneOf)].map(resolve);
    const inner = choices.find(({ type }) => type !== "null") ?? schema;
    const others = choices.filter((choice) => choice !== inner && choice.type !== "null");
    return {
      inner,
      type: [...new Set([inner, ...others].map(typeOf))].join(" or "),
      isNullable: choices.some(({ type }) => type === "null") || list(schema.type).includes("null"),
      description: text(record(given).description) || text(schema.description) || text(inner.description),
    };
  };

  const typeOf = (schema: Schema): string => {
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.format === "date-time") return "timestamp (ISO 8601)";
    if (schema.type === "array") return `array of ${typeOf(resolve(schema.items))}s`.replace(" of anys", "");
    if (record(schema.additionalProperties).type === "string") return "object of strings";
    const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
    return types.map((type) => text(type) || "any").join(" or ");
  };

  const parameter = (given: unknown): ReferenceParameter[] => {
    const { name, in: place, required, description, schema } = record(given);
    const properties = { [text(name)]: { ...record(schema), description } };
    return fields({ properties, required: required ? [name] : [] }).map((field) => ({ ...field, place: text(place) }));
  };

  const bodies = (requestBody: unknown): ReferenceBody[] => {
    const { schema, examples } = contentOf(record(requestBody));
    const shown = Object.keys(record(examples));
    const nameOf = (type: Schema) => text(record(record(type.properties).type).const);
    const types = list(schema.oneOf)
      .map((given) => ({ type: resolve(given), fields: fields(given) }))
      .toSorted((a, b) => shown.indexOf(nameOf(a.type)) - shown.indexOf(nameOf(b.type)));
    const isShared = ({ path }: ReferenceField) =>
      path !== "type" && types.every((one) => one.fields.some((field) => field.path === path));
    const [first] = types;
    if (!first) return [];
    return [
      { name: "", fields: first.fields.filter(isShared) },
      ...types.map(({ type, fields }) => ({ name: nameOf(type), fields: fields.filter((field) => !isShared(field)) })),
    ];
  };

  const answer = ([status, given]: [string, unknown]): ReferenceAnswer => {
    const response = record(given);
    const { schema } = contentOf(response);
    return {
      status,
      description: text(response.description),
      headers: Object.keys(record(response.headers)),
      fields: fields(schema),
      examples: examplesOf(response),
    };
  };

  return {
    fields: (schema: unknown) => fields(schema),
    operation: (method: string, path: string, operation: Schema): ReferenceOperation => ({
      id: text(operation.operationId),
      method: method.toUpperCase(),
      path,
      summary: text(operation.summary),
      parameters: list(operation.parameters).flatMap(parameter),
      bodies: bodies(operation.requestBody),
      answers: Object.entries(record(operation.responses)).map(answer),
    }),
  };
}

/** A single example has no name. */
function examplesOf(holder: Schema): { name: string; body: unknown }[] {
  const { example, examples } = contentOf(holder);
  if (example !== undefined) return [{ name: "", body: example }];
  return Object.entries(record(examples)).map(([name, one]) => ({ name, body: record(one).value }));
}

function contentOf(holder: Schema) {
  const { schema, ...rest } = record(record(holder.content)["application/json"]);
  return { schema: record(schema), example: rest.example, examples: rest.examples };
}

function limitsOf(schema: Schema): string[] {
  const number = (name: string): number | undefined => {
    const value = schema[name];
    // Ignore zod's default bounds, which every integer has.
    return typeof value === "number" && Number.isSafeInteger(value) && Math.abs(value) < 2 ** 53 - 1
      ? value
      : undefined;
  };
  const names = ["minLength", "maxLength", "minimum", "maximum", "maxItems"];
  const [minLength, maxLength, minimum, maximum, maxItems] = names.map(number);
  const limits = [
    minLength === undefined || maxLength !== undefined ? "" : "not empty",
    maxLength === undefined
      ? ""
      : `${minLength === undefined ? "at most" : `${minLength} to`} ${formatNumber(maxLength)} characters`,
    minimum === undefined || maximum === undefined ? "" : `${minimum} to ${maximum}`,
    maxItems === undefined ? "" : `at most ${maxItems}`,
    schema.pattern === "^\\d+$" ? "digits only" : "",
    list(schema.enum)
      .map((word) => `\`${word}\``)
      .join(", "),
  ];
  return limits.filter((limit) => limit !== "");
}
