import type { z } from "zod";
import { isRecord } from "@/lib/core/json";
import { type Fault, faultOf } from "@/lib/whatsapp/parts";
import { GraphError } from "./graph-error";

type Path = readonly PropertyKey[];

/**
 * Parses `value`, or throws WhatsApp's error for the first fault: 131008 for a missing value, 100 for a wrong
 * JSON type or an unknown key, 131009 for a value out of bounds unless the rule names another code.
 */
export function parseShape<Schema extends z.ZodType>(schema: Schema, value: unknown, at: Path = []): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue ? refusal(issue, value, at) : new GraphError(100, "Invalid parameter");
}

const JSON_WORDS: Record<string, string> = { object: "a JSON object", record: "a JSON object", array: "an array" };

function refusal(issue: z.core.$ZodIssue, value: unknown, at: Path): GraphError {
  const param = spell([...at, ...issue.path]);
  const given = valueAt(value, issue.path);
  if (issue.code === "custom") {
    const fault = faultOf(issue);
    const [code, words, path = issue.path] = fault
      ? refusedBy(fault, given, issue.path)
      : [ownCode(issue), issue.message];
    return new GraphError(code, `Param ${spell([...at, ...path])} ${words}`);
  }
  if (issue.code === "unrecognized_keys")
    return new GraphError(100, `Unexpected key "${issue.keys[0]}" on param "${param}".`);
  if (issue.code === "invalid_type" && issue.expected === "never")
    return new GraphError(
      100,
      `Unexpected key "${String(issue.path.at(-1))}" on param "${spell([...at, ...issue.path.slice(0, -1)])}".`,
    );
  if (given === undefined) return new GraphError(131008, `The parameter ${param} is required.`);
  if (issue.code === "invalid_type")
    return new GraphError(100, `Param ${param} must be ${JSON_WORDS[issue.expected] ?? `a ${issue.expected}`}.`);
  if (issue.code === "invalid_value")
    return new GraphError(100, `Param ${param} must be one of {${issue.values.map(String).join(", ")}}.`);
  return new GraphError(100, `Param ${param} is not valid.`);
}

/** A rule that exists only in the sandbox has its own code. */
const ownCode = ({ params }: z.core.$ZodIssueCustom): number =>
  typeof params?.code === "number" ? params.code : 131009;

/** The code and text of a broken limit, and the path of the list whose entries are compared. */
function refusedBy(fault: Fault, value: unknown, path: Path): [code: number, words: string, path?: Path] {
  const ofList = path.slice(
    0,
    path.findLastIndex((step) => typeof step === "number"),
  );
  switch (fault.rule) {
    case "characters":
      if (typeof value === "string" && value.trim() === "") return [131008, "must not be empty."];
      return [fault.code ?? 131009, `must be at most ${fault.most} characters long.`];
    case "entries":
      if (fault.least === fault.most) return [131009, `must have exactly ${fault.most} items.`];
      return [131009, `must have ${fault.least} to ${fault.most} items.`];
    case "inAll":
      return [131009, `must have at most ${fault.most} ${fault.what} in all.`];
    case "exactlyOne":
      if (fault.given.length === 0) return [131008, `needs ${fault.fields.join(" or ")}.`];
      return [131009, `takes ${fault.fields.join(" or ")}, not both.`];
    case "place":
      return [131009, `must be a whole number from 0 to ${fault.most}.`];
    case "lineBreaks":
      return [131009, `must have at most ${fault.most} line breaks.`];
    case "unique":
      return [131009, `must have unique ${UNIQUE_WORDS[fault.what]}.`, ofList];
    case "titles":
      return [131008, "must each have a title when there is more than one section.", ofList];
    case "alike":
      return [131009, "must have the same kinds and number of buttons (and one catalog) on all cards.", ofList];
    default:
      return [131009, WORDS[fault.rule]];
  }
}

const WORDS = {
  address: "must be a valid http or https URL.",
  mediaId: "must be a media id: digits only.",
  edges: "must not start or end with a space.",
  emoji: "must not hold emoji.",
  data: "must be a non-empty object.",
};

const UNIQUE_WORDS = { id: "ids", title: "titles", card_index: "card_index values" };

/** `interactive['action']['buttons'][0]`, WhatsApp's way to name a parameter. */
const spell = ([first, ...rest]: Path): string =>
  String(first ?? "body") + rest.map((key) => (typeof key === "number" ? `[${key}]` : `['${String(key)}']`)).join("");

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isRecord(inner) ? inner[String(key)] : undefined;
  }, value);
