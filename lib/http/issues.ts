import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { type Issue, invalid, invalidAt, issuesOf, MAX_ISSUES } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { cutText } from "@/lib/core/text";

const MAX_PATH_CHARACTERS = 200;
const MAX_NAME_CHARACTERS = 80;

/** A path as the caller would write it: `carousel.cards[0].bodyValues.1`. A caller's key may be of any length. */
export function pathText(path: readonly PropertyKey[]): string {
  const whole = path.reduce<string>(
    (text, step) =>
      typeof step === "number" ? `${text}[${step}]` : text === "" ? String(step) : `${text}.${String(step)}`,
    "",
  );
  return cutText(whole, MAX_PATH_CHARACTERS).toWellFormed();
}

/** The rejected value, and the schema that rejected it. */
type Refused = { schema: z.core.$ZodType; value: unknown };

/** Converts zod's issues to messages with a fix, up to the limit of a response; `path` is prepended. */
export function toIssues(error: z.ZodError, path: readonly PropertyKey[], { schema, value }: Refused): Issue[] {
  return error.issues.slice(0, MAX_ISSUES).flatMap((issue): Issue[] => {
    const place = (below: readonly PropertyKey[]) => pathText([...path, ...asWritten(below, value)]);
    if (issue.code === "unrecognized_keys") {
      const known = fieldsAt(schema, issue.path);
      const holder = path.length + issue.path.length === 0 ? "request" : "object";
      return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
        path: place([...issue.path, key]),
        message: noSuchField(key, known, holder),
      }));
    }
    if (issue.code === "invalid_union") {
      // For a discriminated union zod reports the discriminator's path; report the object instead.
      const isOwnField = issue.discriminator !== undefined && issue.path.at(-1) === issue.discriminator;
      return [{ path: place(isOwnField ? issue.path.slice(0, -1) : issue.path), message: PARAMETER_NEEDED }];
    }
    const isUnion = schemasAt(schema, issue.path).some((one) => one instanceof z.ZodUnion);
    return [{ path: place(issue.path), message: isUnion ? PARAMETER_NEEDED : messageOf(issue) }];
  });
}

/** Parses a value. Throws VALIDATION_ERROR with every fault. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value, { reportInput: true });
  if (read.success) return read.data;
  throw invalid(toIssues(read.error, [], { schema, value }));
}

/** The message for the only union in the API. */
const PARAMETER_NEEDED = 'must be {"type":"text","text":"…"}.';

/** Adds the index that the caller wrote: an array of one is read as its item. */
function asWritten(path: readonly PropertyKey[], value: unknown): PropertyKey[] {
  const [step, ...below] = path;
  if (step === undefined) return [];
  if (Array.isArray(value)) {
    return typeof step === "number" ? [step, ...asWritten(below, value[step])] : [0, ...asWritten(path, value[0])];
  }
  return [step, ...asWritten(below, isRecord(value) ? value[String(step)] : undefined)];
}

/** Returns the issue for an unknown field, with a suggestion. */
export function unknownField(given: string, known: readonly string[]): Issue {
  const name = cutText(given, MAX_NAME_CHARACTERS).toWellFormed();
  return { path: name, message: noSuchField(name, known, "request") };
}

function noSuchField(given: string, known: readonly string[], holder: "object" | "request"): string {
  const meant = closestName(cutText(given, MAX_NAME_CHARACTERS), known);
  const fix = meant === undefined ? "Remove it." : `Did you mean \`${meant}\`?`;
  return `is not a field of this ${holder}. ${fix}`;
}

/** Finds a known name that differs by a typo or spelling, or the only one that ends with the same words. */
function closestName(given: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const spelled = new Map(known.map((name) => [wordsOf(name).join(""), name]));
  const nearest = closest(wordsOf(given).join(""), [...spelled.keys()]);
  const isNear = distance(wordsOf(given).join(""), nearest) <= Math.max(2, Math.floor(nearest.length / 3));
  if (isNear) return spelled.get(nearest);
  const [alike, ...others] = known.filter((name) => endsAlike(wordsOf(given), wordsOf(name)));
  return others.length === 0 ? alike : undefined;
}

/** `bodyValues` and `body_values` are the same two words. */
const wordsOf = (name: string): string[] =>
  name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());

function endsAlike(a: string[], b: string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length > 0 && short.join() === long.slice(-short.length).join();
}

const fieldsAt = (schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] =>
  schemasAt(schema, path).flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : []));

/** Returns the schemas at `path`: several if there is a union or transform on the way. */
function schemasAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return schemasAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out].flatMap((side) => schemasAt(side, path));
  const [step, ...below] = path;
  if (schema instanceof z.ZodUnion) {
    const own = step === undefined ? [schema] : [];
    return [...own, ...schema.options.flatMap((option) => schemasAt(option, path))];
  }
  if (step === undefined) return [schema];
  if (schema instanceof z.ZodArray) return schemasAt(schema.element, below);
  const field: z.core.$ZodType | undefined = schema instanceof z.ZodObject ? schema.shape[String(step)] : undefined;
  return field ? schemasAt(field, below) : [];
}

/** Returns the issues that a check throws, to report all faults at once; rethrows other errors. */
export function issuesThrownBy(check: () => void): Issue[] {
  try {
    check();
    return [];
  } catch (error) {
    return issuesOf(error);
  }
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined && !("received" in issue)
        ? `is required. It must be ${article(issue.expected)}.`
        : `must be ${article(issue.expected)}.`;
    case "invalid_value":
      return `must be ${issue.values
        .map((value) => JSON.stringify(value))
        .join(", ")
        .replace(/, ([^,]*)$/, " or $1")}.`;
    case "too_small":
      return issue.origin === "string" ? "is empty." : `must be at least ${issue.minimum}.`;
    case "too_big":
      return issue.origin === "string"
        ? `is longer than ${issue.maximum} characters.`
        : issue.origin === "array"
          ? `has more than ${issue.maximum} entries.`
          : `must be at most ${issue.maximum}.`;
    default:
      return `${issue.message}.`;
  }
}

const article = (kind: string) => (kind === "record" ? "an object" : `${/^[aeio]/.test(kind) ? "an" : "a"} ${kind}`);

const MAX_DEPTH = 32;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Parses JSON from UTF-8 bytes, with or without a byte order mark. Throws VALIDATION_ERROR like `parseJson`. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw invalidAt("", "The body is not UTF-8. Send JSON encoded in UTF-8.");
  }
  if (text.trim() === "") throw invalidAt("", "The body is empty. Send a JSON object.");
  return parseJson(text, "");
}

/**
 * Parses JSON and rejects what would be lost or misread later: repeated keys, `__proto__`, nesting beyond 32, NUL
 * and lone surrogates, numbers that JavaScript cannot represent. Throws VALIDATION_ERROR; paths start with `root`.
 */
export function parseJson(text: string, root: string): unknown {
  const value = parse(text, root);
  const issues = findFaults(text, root);
  if (issues.length > 0) throw invalid(issues);
  return value;
}

function parse(text: string, root: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const before = text.slice(0, brokenAt(text)).split("\n");
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    throw invalidAt(root, `This is not valid JSON: it breaks at ${where}.`);
  }
}

type Level = { kind: "object"; keys: Set<string>; key: string | undefined } | { kind: "array"; index: number };

/** Walks the tokens of valid JSON without recursion; every fault with its path, up to the first that is too deep. */
function findFaults(text: string, root: string): Issue[] {
  const issues: Issue[] = [];
  const levels: Level[] = [];
  const fault = (message: string) => issues.push({ path: pathOf(levels, root), message });

  for (const [, token = ""] of text.matchAll(TOKEN)) {
    if (issues.length >= MAX_ISSUES) return issues;
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push(token === "{" ? { kind: "object", keys: new Set(), key: undefined } : { kind: "array", index: 0 });
      if (levels.length > MAX_DEPTH) {
        issues.push({ path: root, message: `The JSON is nested deeper than ${MAX_DEPTH} levels. Flatten it.` });
        return issues;
      }
    } else if (token === "}" || token === "]") {
      levels.pop();
    } else if (token === ",") {
      if (level?.kind === "array") level.index += 1;
      else if (level) level.key = undefined;
    } else if (token.startsWith('"')) {
      const string: string = token.includes("\\") ? JSON.parse(token) : token.slice(1, -1);
      if (level?.kind === "object" && level.key === undefined) {
        level.key = string;
        if (level.keys.has(string)) fault("is given twice in one object. Send each key once.");
        if (string === "__proto__") fault("is a reserved name. Remove it.");
        level.keys.add(string);
      }
      if (string.includes("\0")) fault("contains a NUL character (\\u0000). Remove it.");
      if (!string.isWellFormed()) fault("contains half of a surrogate pair. Send whole characters.");
    } else if (/^[-\d]/.test(token) && !isExact(token)) {
      fault(`is a number that cannot be held exactly (${token.slice(0, 30)}). Send it as a string.`);
    }
  }
  return issues;
}

function isExact(token: string) {
  const number = Number(token);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** `a.b[0]`, as the caller would write it. */
function pathOf(levels: readonly Level[], root: string): string {
  let path = root;
  for (const level of levels) {
    if (level.kind === "array") path += `[${level.index}]`;
    else if (level.key !== undefined) path += `${path === "" ? "" : "."}${printable(level.key)}`;
  }
  return path;
}

const printable = (key: string) => JSON.stringify(cutText(key, 60).toWellFormed()).slice(1, -1);

/**
 * A token with the space before it. Strings contain any character from U+0020 except `"` and `\`. In invalid JSON,
 * matching stops at the first invalid token.
 */
export const TOKEN =
  /[ \t\n\r]*("[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uFFFF]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|[{}[\],:])/gy;

type Expected = "value" | "item" | "first item" | "key" | "first key" | "colon" | "comma" | "end";

/** Returns the offset of the first invalid JSON token, which V8 often does not report. */
export function brokenAt(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected | undefined = "value";
  let end = 0;
  for (const { 0: match, 1: token = "", index } of text.matchAll(TOKEN)) {
    expected = next(expected, token, open);
    end = index + match.length;
    if (expected === undefined) return end - token.length;
  }
  return end + text.slice(end).search(/[^ \t\n\r]|$/);
}

/** Returns what may follow a token; undefined if the token is not allowed here. */
function next(expected: Expected, token: string, open: ("{" | "[")[]): Expected | undefined {
  const afterValue = () => (open.length === 0 ? "end" : "comma");
  const isValue = expected === "value" || expected === "item" || expected === "first item";
  switch (token) {
    case "{":
    case "[":
      if (!isValue) return undefined;
      open.push(token);
      return token === "{" ? "first key" : "first item";
    case "}":
    case "]": {
      const isOpen = open.at(-1) === (token === "}" ? "{" : "[");
      const mayEnd = expected === "comma" || expected === (token === "}" ? "first key" : "first item");
      if (!isOpen || !mayEnd) return undefined;
      open.pop();
      return afterValue();
    }
    case ",":
      if (expected !== "comma") return undefined;
      return open.at(-1) === "{" ? "key" : "item";
    case ":":
      return expected === "colon" ? "value" : undefined;
    default:
      if (expected === "key" || expected === "first key") return token.startsWith('"') ? "colon" : undefined;
      return isValue ? afterValue() : undefined;
  }
}
