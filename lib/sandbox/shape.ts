import { z } from "zod";
import { isRecord } from "@/lib/text/is-record";
import { GraphError } from "./graph-error";

type Path = readonly PropertyKey[];

/**
 * Parses `value`, or throws the platform's refusal of the first fault: 131008 for what is missing, 100 for a wrong
 * JSON type or an unknown key, 131009 for a value out of bounds unless the rule names another code.
 */
export const parseShape = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: Path = [],
): z.output<Schema> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue ? refusal(issue, value, at) : new GraphError(100, "Invalid parameter");
};

/** Characters as people count them: an emoji is one, not two UTF-16 units. */
export const characters = (text: string): number => [...text].length;

/** Text of 1 to `maxCharacters`. */
export const text = (maxCharacters: number, { code = 131009 } = {}) =>
  z
    .string()
    .refine((value) => value.trim() !== "", { error: "must not be empty.", params: { code: 131008 }, abort: true })
    .refine((value) => characters(value) <= maxCharacters, {
      error: `must be at most ${maxCharacters} characters long.`,
      params: { code },
    });

/** An array of `min` to `max` items. */
export const items = <Item extends z.ZodType>(item: Item, min: number, max: number) =>
  z.array(item).refine((list) => list.length >= min && list.length <= max, {
    error: min === max ? `must have exactly ${min} items.` : `must have ${min} to ${max} items.`,
  });

/** An http(s) address. */
export const link = () =>
  z.string().refine((value) => /^https?:/i.test(value) && URL.canParse(value), {
    error: "must be a valid http or https URL.",
  });

/** `{id}` of digits or `{link}`, exactly one of the two, beside the fields of `more`. */
export const media = <More extends z.ZodRawShape>(more: More) =>
  z
    .strictObject({
      id: z
        .string()
        .refine((id) => /^\d+$/.test(id), { error: "must be a media id: digits only." })
        .optional(),
      link: link().optional(),
      ...more,
    })
    .superRefine((value: { id?: unknown; link?: unknown }, context) => {
      const given = [value.id, value.link].filter((part) => part !== undefined).length;
      if (given === 0) context.addIssue({ code: "custom", message: "needs id or link.", params: { code: 131008 } });
      if (given === 2) context.addIssue({ code: "custom", message: "takes id or link, not both." });
    });

export const areUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

const JSON_WORDS: Record<string, string> = { object: "a JSON object", record: "a JSON object", array: "an array" };

const refusal = (issue: z.core.$ZodIssue, value: unknown, at: Path): GraphError => {
  const param = spell([...at, ...issue.path]);
  if (issue.code === "custom") {
    const code = issue.params?.code;
    return new GraphError(typeof code === "number" ? code : 131009, `Param ${param} ${issue.message}`);
  }
  if (issue.code === "unrecognized_keys")
    return new GraphError(100, `Unexpected key "${issue.keys[0]}" on param "${param}".`);
  if (valueAt(value, issue.path) === undefined) return new GraphError(131008, `The parameter ${param} is required.`);
  if (issue.code === "invalid_type")
    return new GraphError(100, `Param ${param} must be ${JSON_WORDS[issue.expected] ?? `a ${issue.expected}`}.`);
  if (issue.code === "invalid_value")
    return new GraphError(100, `Param ${param} must be one of {${issue.values.map(String).join(", ")}}.`);
  return new GraphError(100, `Param ${param} is not valid.`);
};

/** `interactive['action']['buttons'][0]`, the platform's way to name a parameter. */
const spell = ([first, ...rest]: Path): string =>
  String(first ?? "body") + rest.map((key) => (typeof key === "number" ? `[${key}]` : `['${String(key)}']`)).join("");

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isRecord(inner) ? inner[String(key)] : undefined;
  }, value);
