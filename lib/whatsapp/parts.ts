import { z } from "zod";
import { isRecord } from "@/lib/core/json";
import { characterCount } from "@/lib/core/text";
import { isWebAddress, MEDIA_ID } from "./limits";

/**
 * A broken limit, without words: our API and the sandbox have their own. `code` is Graph's error code where it is not
 * the usual one.
 */
export type Fault =
  | { rule: "characters"; most: number; code?: number }
  | { rule: "entries"; least: number; most: number }
  | { rule: "address" | "mediaId" | "edges" | "emoji" | "data" | "titles" | "alike" }
  | { rule: "place" | "lineBreaks"; most: number }
  | { rule: "inAll"; what: "rows" | "products"; most: number; count: number }
  | { rule: "unique"; what: "id" | "title" | "card_index" }
  | { rule: "exactlyOne"; fields: readonly string[]; given: readonly string[] };

/** The details of a broken limit, or of the check that raises it. */
export function faultOf(holder: object): Fault | undefined {
  return "params" in holder && isRecord(holder.params) && "rule" in holder.params
    ? (holder.params as Fault)
    : undefined;
}

/** Returns the first limit of a schema. */
export function limitOf(schema: z.core.$ZodType): Fault | undefined {
  const [check] = schema._zod.def.checks ?? [];
  return check && faultOf(check._zod.def);
}

const breaking = (params: Fault) => ({ params });

/** A limit that compares parts of a value, and is checked even if one of them is invalid. */
const always = { when: () => true };

/** Text of 1 to `most` characters; `code` is Graph's for one that is too long. */
export function text(
  most: number = Number.POSITIVE_INFINITY,
  { code, isBlankAllowed = false }: { code?: number; isBlankAllowed?: boolean } = {},
) {
  return z
    .string()
    .refine(
      (value) => (isBlankAllowed || value.trim() !== "") && (value.length <= most || characterCount(value) <= most),
      breaking({ rule: "characters", most, ...(code === undefined ? {} : { code }) }),
    );
}

/** Text of 1 to `most` characters with a rule of its own. */
export function textThat(most: number, fault: Fault, holds: (value: string) => boolean) {
  return text(most).refine(holds, breaking(fault));
}

/** An absolute address that begins with http:// or https://. */
export function address() {
  return z.string().refine(isWebAddress, breaking({ rule: "address" }));
}

/** A list of `least` to `most` entries, which `checks` compare. */
export function list<Item extends z.ZodType>(
  item: Item,
  [least, most]: readonly [least: number, most: number],
  ...checks: Check[]
) {
  return checks.reduce(
    (entries, check) => entries.superRefine(check, always),
    z.array(item).refine((entries: unknown) => !Array.isArray(entries) || isBetween(entries.length, least, most), {
      ...breaking({ rule: "entries", least, most }),
      ...always,
    }),
  );
}

const isBetween = (count: number, least: number, most: number): boolean => count >= least && count <= most;

/** The index of a card. */
export function cardIndex(most: number) {
  return z
    .number()
    .refine((index) => Number.isInteger(index) && isBetween(index, 0, most), breaking({ rule: "place", most }));
}

/** An object of `shape` with exactly one of `fields`. */
export function oneOf<Shape extends z.ZodRawShape>(fields: readonly string[], shape: Shape) {
  return z.strictObject(shape).superRefine((value: unknown, context) => {
    if (!isRecord(value)) return;
    const given = fields.filter((field) => value[field] !== undefined);
    if (given.length !== 1) report(context, { rule: "exactlyOne", fields, given });
  }, always);
}

/** Media by `id` or `link`, plus the fields of `more`. */
export function media<More extends z.ZodRawShape>(more: More) {
  return oneOf(["id", "link"], {
    id: z
      .string()
      .refine((id) => MEDIA_ID.test(id), breaking({ rule: "mediaId" }))
      .optional(),
    link: address().optional(),
    ...more,
  });
}

/** A check of `list`. */
export type Check = (entries: unknown, context: z.core.$RefinementCtx) => void;

/** Requires unique values at `keys` of the entries, or of the entries of their `inner` lists. */
export function unique(what: "id" | "title" | "card_index", keys: string[], inner?: string): Check {
  return (entries, context) => {
    const seen = new Set<unknown>();
    const lists = inner === undefined ? [{ value: entries, path: [] }] : within(entries, [inner]);
    for (const { value, path } of lists.flatMap((one) => within(one.value, keys, one.path))) {
      if (value !== undefined && seen.has(value)) report(context, { rule: "unique", what }, path, value);
      seen.add(value);
    }
  };
}

/** Limits the total length of the lists at `key` of the entries. */
export function mostInAll(what: "rows" | "products", key: string, most: number): Check {
  return (entries, context) => {
    const counts = within(entries, [key]).map(({ value }) => (Array.isArray(value) ? value.length : 0));
    const count = counts.reduce((sum, length) => sum + length, 0);
    // A single list that is too long is reported separately.
    if (count > most && counts.every((length) => length <= most)) report(context, { rule: "inAll", what, most, count });
  };
}

/** Returns the value at `keys` in each entry of a list; undefined for another shape. */
export function within(list: unknown, keys: string[], below: PropertyKey[] = []) {
  return (Array.isArray(list) ? list : []).map((entry: unknown, index) => ({
    value: keys.reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), entry),
    path: [...below, index, ...keys],
  }));
}

export function report(
  context: z.core.$RefinementCtx,
  params: Fault,
  path: PropertyKey[] = [],
  input: unknown = context.value,
) {
  return context.addIssue({ code: "custom", params, path, input });
}
