import { characterCount } from "@/lib/text";
import { COPY_CODE, HEADER_LINK, readCardKey, type TemplateVariable } from "./variable-keys";

/** A value that shows what belongs under a key: the template's own sample where a send could use it. */
export const sampleOf = (variable: TemplateVariable): string => {
  const slot = readCardKey(variable.key)?.slot ?? variable.key;
  if (slot === HEADER_LINK) return isLink(variable.example) ? variable.example : "https://example.com/picture.jpg";
  const example = variable.example?.replace(/\s+/g, " ").trim() ?? "";
  // A sample may hold what a send may not: a full address, or more than fits.
  const isUsable =
    example !== "" && !/^https?:/i.test(example) && characterCount(example) <= (variable.maxLength ?? 160);
  if (isUsable) return example;
  if (slot === COPY_CODE) return "CODE25";
  return variable.maxLength !== null && variable.maxLength < 160 ? "123456" : `value ${slot}`.slice(0, 40);
};

/** What a send needs, from what was typed: a sample stands in where a value is due, and nothing where it is not. */
export const withSamples = (
  variables: readonly TemplateVariable[],
  typed: ReadonlyMap<string, string>,
): Map<string, string> => {
  const given = new Map([...typed].filter(([, text]) => text !== ""));
  return new Map(
    variables.flatMap((variable): [string, string][] => {
      const value = given.get(variable.key);
      if (value !== undefined) return [[variable.key, value]];
      // A media id that was typed takes the place of the link.
      const isReplaced = variable.key.endsWith(HEADER_LINK) && given.has(variable.key.replace(/_link$/, ""));
      return variable.required && !isReplaced ? [[variable.key, sampleOf(variable)]] : [];
    }),
  );
};

const isLink = (text: string | null): text is string =>
  text !== null && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
