import { isRecord } from "@/lib/core/is-record";

type Json = Record<string, unknown>;

/** Whose a schema is: what callers send may only become wider, and what they receive only narrower. */
type Direction = "request" | "response";

/**
 * What would break a caller who was written against `before` and meets `after`, one line each: a call, parameter, field or
 * response that is gone, a field that is required now or is no longer always there, another type, a value that is no
 * longer taken. A new response value is no break: the docs say that callers must expect some.
 */
export function breakingChanges(before: Json, after: Json): string[] {
  return [
    ...["paths", "webhooks"].flatMap((part) =>
      operationsOf(before, part).flatMap(([name, operation]) => {
        const next = new Map(operationsOf(after, part)).get(name);
        return next ? changesOfOperation(name, operation, next) : [`${name} is gone`];
      }),
    ),
    ...Object.entries(record(record(before.components).schemas)).flatMap(([name, schema]) => {
      const next = record(record(after.components).schemas)[name];
      if (next === undefined) return [`the schema ${name} is gone`];
      return changesOfSchema(name, record(schema), { after: record(next), direction: directionOf(name) });
    }),
    ...Object.keys(record(record(before.components).securitySchemes))
      .filter((name) => !(name in record(record(after.components).securitySchemes)))
      .map((name) => `the credential ${name} is gone`),
  ];
}

const record = (value: unknown): Json => (isRecord(value) ? value : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const directionOf = (schema: string): Direction => (schema.startsWith("Send") ? "request" : "response");

const operationsOf = (document: Json, part: string): [string, Json][] =>
  Object.entries(record(document[part])).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      record(operation),
    ]),
  );

const changesOfOperation = (name: string, before: Json, after: Json): string[] => {
  const keyOf = (parameter: unknown) => `${record(parameter).in} ${record(parameter).name}`;
  const known = new Map(list(before.parameters).map((one) => [keyOf(one), record(one)]));
  const next = new Map(list(after.parameters).map((one) => [keyOf(one), record(one)]));
  return [
    ...[...known.keys()].filter((key) => !next.has(key)).map((key) => `${name}: the parameter ${key} is gone`),
    ...[...next]
      .filter(([key, { required }]) => required === true && known.get(key)?.required !== true)
      .map(([key]) => `${name}: the parameter ${key} is required now`),
    ...Object.keys(record(before.responses))
      .filter((status) => !(status in record(after.responses)))
      .map((status) => `${name}: the response ${status} is gone`),
  ];
};

const changesOfSchema = (
  place: string,
  before: Json,
  { after, direction }: { after: Json; direction: Direction },
): string[] => {
  const [fields, next] = [record(before.properties), record(after.properties)];
  const [required, requiredNow] = [list(before.required), list(after.required)];
  const changed =
    direction === "request"
      ? requiredNow.filter((field) => !required.includes(field)).map((field) => `${place}.${field} is required now`)
      : required
          .filter((field) => !requiredNow.includes(field) && String(field) in next)
          .map((field) => `${place}.${field} may be missing now`);
  const types = [typesOf(before), typesOf(after)] as const;
  const [wide, narrow] = direction === "request" ? [types[1], types[0]] : types;
  const isOtherType = wide.length > 0 && narrow.some((type) => !wide.includes(type));
  return [
    ...Object.keys(fields)
      .filter((field) => !(field in next))
      .map((field) => `${place}.${field} is gone`),
    ...changed,
    ...(isOtherType ? [`${place} is ${types[1].join(" or ")} now, not ${types[0].join(" or ")}`] : []),
    ...(direction === "request"
      ? list(before.enum)
          .filter((value) => !list(after.enum).includes(value))
          .map((value) => `${place} no longer takes ${JSON.stringify(value)}`)
      : []),
    ...LIMITS.filter((limit) => direction === "request" && isTighter(limit, before, after)).map(
      (limit) => `${place} has a tighter ${limit} now`,
    ),
    ...Object.keys(fields)
      .filter((field) => field in next)
      .flatMap((field) =>
        changesOfSchema(`${place}.${field}`, record(fields[field]), { after: record(next[field]), direction }),
      ),
    ...(isRecord(before.items)
      ? changesOfSchema(`${place}[]`, before.items, { after: record(after.items), direction })
      : []),
  ];
};

/** Of a schema and its alternatives. */
const typesOf = (schema: Json): string[] => [
  ...[schema.type].flat().filter((type) => typeof type === "string"),
  ...list(schema.anyOf).flatMap((one) => typesOf(record(one))),
];

const LIMITS = ["maxLength", "maxItems", "maximum"] as const;

const isTighter = (limit: (typeof LIMITS)[number], before: Json, after: Json): boolean =>
  Number(after[limit] ?? Number.POSITIVE_INFINITY) < Number(before[limit] ?? Number.POSITIVE_INFINITY);
