import type { Issue } from "@/lib/errors/app-error";
import { isRecord } from "@/lib/text/is-record";
import { characterCount, listSome, quote } from "@/lib/text/text";

/** All faults of a value, each under its path. Rules are combined instead of stopping at the first fault. */
export type Rule = (value: unknown, path: string) => Issue[];

export const all =
  (...rules: Rule[]): Rule =>
  (value, path) =>
    rules.flatMap((rule) => rule(value, path));

export const optional =
  (rule: Rule): Rule =>
  (value, path) =>
    value === undefined ? [] : rule(value, path);

/** The fields with a rule; others pass. */
export const object =
  (fields: Record<string, Rule>): Rule =>
  (value, path) => {
    if (!isRecord(value)) return [{ path, message: `${given(value)}; an object with ${names(fields)} is needed.` }];
    return Object.entries(fields).flatMap(([field, rule]) => rule(value[field], `${path}.${field}`));
  };

/** 1 to `maxCharacters` Unicode code points. */
export const text =
  (maxCharacters = Number.POSITIVE_INFINITY): Rule =>
  (value, path) => {
    const limit = Number.isFinite(maxCharacters) ? ` of 1 to ${maxCharacters} characters` : "";
    if (typeof value !== "string") return [{ path, message: `${given(value)}; a text${limit} is needed.` }];
    if (value.trim() === "") return [{ path, message: `The text is empty; a text${limit} is needed.` }];
    const characters = characterCount(value);
    if (characters <= maxCharacters) return [];
    return [
      { path, message: `${quote(value)} is ${characters} characters, the limit is ${maxCharacters}. Shorten it.` },
    ];
  };

export const list =
  (item: Rule, { min, max, of }: { min: number; max: number; of: string }): Rule =>
  (value, path) => {
    const count = min === max ? `${min}` : `${min} to ${max}`;
    if (!Array.isArray(value)) return [{ path, message: `${given(value)}; a list of ${count} ${of} is needed.` }];
    const issues = value.flatMap((entry, index) => item(entry, `${path}[${index}]`));
    if (value.length >= min && value.length <= max) return issues;
    return [{ path, message: `The list has ${value.length} ${of}; ${count} are allowed.` }, ...issues];
  };

export const oneOf =
  (...words: string[]): Rule =>
  (value, path) => {
    if (typeof value === "string" && words.includes(value)) return [];
    const found = typeof value === "string" ? quote(value) : given(value);
    return [{ path, message: `${found}; ${words.map((word) => `"${word}"`).join(" or ")} is needed.` }];
  };

/** The interactive type has no such part. */
export const absent =
  (why: string): Rule =>
  (value, path) =>
    value === undefined ? [] : [{ path, message: `${why} Leave it out.` }];

export const exactlyOne =
  (...fields: string[]): Rule =>
  (value, path) => {
    if (!isRecord(value)) return [];
    const present = fields.filter((field) => value[field] !== undefined);
    if (present.length === 1) return [];
    const found = present.length === 0 ? "None is" : `${present.join(" and ")} are`;
    return [{ path, message: `${found} given; exactly one of ${fields.join(" and ")} is needed.` }];
  };

/** An absolute address that begins with http:// or https://. */
export const webAddress: Rule = (value, path) => {
  if (typeof value !== "string")
    return [{ path, message: `${given(value)}; an address that begins with https:// is needed.` }];
  if (/^https?:\/\/\S+$/i.test(value) && URL.canParse(value)) return [];
  return [{ path, message: `${quote(value)} is not an http:// or https:// address. Send the whole address.` }];
};

/** A value and its place, for rules that compare values across a list. */
export type Placed = { value: unknown; path: string };

/** No value twice; `what` names it in the message. */
export const unique = (placed: Placed[], what: string): Issue[] => {
  const seen = new Set<unknown>();
  return placed.flatMap(({ value, path }) => {
    if (value === undefined || !seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [
      { path, message: `${quote(String(value))} is the ${what} of an earlier entry too. Make each ${what} unique.` },
    ];
  });
};

/** What stands at `keys` below every item of a list, where it stands; nothing where the shape is another. */
export const within = (value: unknown, path: string, keys: string[] = []): Placed[] => {
  if (!Array.isArray(value)) return [];
  return value.map((item, index) => {
    const found = keys.reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), item);
    return { value: found, path: [`${path}[${index}]`, ...keys].join(".") };
  });
};

const given = (value: unknown): string => {
  if (value === undefined) return "This is missing";
  if (value === null) return "This is null";
  return `This is ${Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`}`;
};

const names = (fields: Record<string, Rule>): string => listSome(Object.keys(fields).map((field) => `\`${field}\``));
