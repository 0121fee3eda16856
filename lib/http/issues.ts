import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { type Issue, invalid, issuesOf, MAX_ISSUES } from "@/lib/core/app-error";
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

/** The rejected value, the schema that rejected it, and what a name is of that it does not know. */
type Refused = { schema: z.core.$ZodType; value: unknown; holder?: string };

/** Converts zod's issues to messages with a fix, up to the limit of a response; `path` is prepended. */
export function toIssues(
  error: z.ZodError,
  path: readonly PropertyKey[],
  { schema, value, holder = FIELD }: Refused,
): Issue[] {
  return error.issues.slice(0, MAX_ISSUES).flatMap((issue): Issue[] => {
    const place = (below: readonly PropertyKey[]) => pathText([...path, ...asWritten(below, value)]);
    if (issue.code === "unrecognized_keys") {
      const known = fieldsAt(schema, issue.path);
      const isWhole = path.length + issue.path.length === 0;
      return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
        path: place([...issue.path, key]),
        message: noSuch(key, known, isWhole ? holder : "field of this object"),
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

const FIELD = "field of this request";

/** Parses a value. Throws VALIDATION_ERROR with every fault. An unknown name is not a `holder`. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, holder?: string): z.output<Schema> {
  const read = schema.safeParse(value, { reportInput: true });
  if (read.success) return read.data;
  throw invalid(toIssues(read.error, [], { schema, value, ...(holder && { holder }) }));
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
  return { path: name, message: noSuch(name, known, FIELD) };
}

function noSuch(given: string, known: readonly string[], holder: string): string {
  const meant = closestName(cutText(given, MAX_NAME_CHARACTERS), known);
  const fix = meant === undefined ? "Remove it." : `Did you mean \`${meant}\`?`;
  return `is not a ${holder}. ${fix}`;
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
