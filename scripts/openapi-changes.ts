import { isRecord, list, record } from "@/lib/core/json";

type Json = Record<string, unknown>;

/** A schema's direction: request schemas may only become wider, response schemas only narrower. */
type Direction = "request" | "response";

/**
 * Returns changes from `before` to `after` that break callers, one line each: a removed call, parameter, field or
 * response, a field that is now required or no longer always present, another type, or a value that is no
 * longer accepted. New response values are allowed: the docs tell callers to expect them.
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

const directionOf = (schema: string): Direction => (schema.startsWith("Send") ? "request" : "response");

const operationsOf = (document: Json, part: string): [string, Json][] =>
  Object.entries(record(document[part])).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      record(operation),
    ]),
  );

function changesOfOperation(name: string, before: Json, after: Json): string[] {
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
}

function changesOfSchema(
  place: string,
  before: Json,
  { after, direction }: { after: Json; direction: Direction },
): string[] {
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
}

/** Of a schema and its alternatives. */
const typesOf = (schema: Json): string[] => [
  ...[schema.type].flat().filter((type) => typeof type === "string"),
  ...list(schema.anyOf).flatMap((one) => typesOf(record(one))),
];

const LIMITS = ["maxLength", "maxItems", "maximum"] as const;

const isTighter = (limit: (typeof LIMITS)[number], before: Json, after: Json): boolean =>
  limitOf(after, limit) < limitOf(before, limit);

/** Of a schema, or of its alternative to null. */
const limitOf = (schema: Json, limit: string): number =>
  Math.min(...[schema, ...list(schema.anyOf).map(record)].map((one) => Number(one[limit] ?? Number.POSITIVE_INFINITY)));
