import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import { type Issue, issuesOf } from "@/lib/errors";

const MAX_PATH_CHARACTERS = 200;
const MAX_NAME_CHARACTERS = 80;

/** A path as the caller would write it: `carousel.cards[0].bodyValues.1`. A caller's key may be of any length. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .reduce<string>(
      (text, step) =>
        typeof step === "number" ? `${text}[${step}]` : text === "" ? String(step) : `${text}.${String(step)}`,
      "",
    )
    .slice(0, MAX_PATH_CHARACTERS)
    .toWellFormed();

/** zod's findings in words that say the fix; `path` is put in front. */
export const toIssues = (error: z.ZodError, path: readonly PropertyKey[]): Issue[] =>
  error.issues.flatMap((issue): Issue[] => {
    const at = [...path, ...issue.path];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: pathText([...at, key]),
        message: "is not a field of this object. Remove it.",
      }));
    }
    if (issue.code === "invalid_union") {
      return [{ path: pathText(at), message: 'must be {"type":"text","text":"…"}.' }];
    }
    return [{ path: pathText(at), message: messageOf(issue) }];
  });

/** A field that does not exist, and the one that may have been meant. */
export const unknownField = (given: string, known: readonly string[]): Issue => {
  const name = given.slice(0, MAX_NAME_CHARACTERS).toWellFormed();
  const nearest = closest(name, known);
  const isNear = distance(name.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, Math.floor(nearest.length / 3));
  return {
    path: name,
    message: isNear
      ? `is not a field of this request. Did you mean \`${nearest}\`?`
      : "is not a field of this request. Remove it.",
  };
};

/** The issues that a check throws, for an answer that lists all faults at once; any other error passes on. */
export const issuesThrownBy = (check: () => void): Issue[] => {
  try {
    check();
    return [];
  } catch (error) {
    return issuesOf(error);
  }
};

const messageOf = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined && !("received" in issue)
        ? `is missing: ${article(issue.expected)} is needed.`
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
};

const article = (kind: string) => (kind === "record" ? "an object" : `${/^[aeio]/.test(kind) ? "an" : "a"} ${kind}`);
