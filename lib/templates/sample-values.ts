import { issuesOf } from "@/lib/core/app-error";
import { characterCount } from "@/lib/core/text";
import { isWebAddress } from "@/lib/whatsapp/limits";
import type { TemplateDefinition } from "./definition";
import { fillParts } from "./fill";
import { COPY_CODE, HEADER_LINK, listVariables, PRODUCT, readCardKey, type TemplateVariable } from "./variable-keys";

/**
 * The values of a send by their keys, as `templateVariables` takes them: what was typed, and a sample wherever else one
 * is due. A sample is the template's own where a send could use it; nothing stands where nothing is needed.
 */
export function withSamples(definition: TemplateDefinition, typed: ReadonlyMap<string, string>): Map<string, string> {
  const given = new Map([...typed].filter(([, text]) => text !== ""));
  const variables = listVariables(definition).filter(
    (variable) => variable.fillWith === undefined && (given.has(variable.key) || isDue(variable, given)),
  );
  const values = new Map(variables.map((variable) => [variable.key, given.get(variable.key) ?? sampleOf(variable)]));
  const open = new Set([...values.keys()].filter((key) => !given.has(key)));
  // A sample of the template's may break a rule of sends, such as the length of the text that it makes.
  for (let refused = refusedOf(definition, values, open); refused.length > 0; ) {
    for (const key of refused) {
      open.delete(key);
      values.set(key, plainSample(key));
    }
    refused = refusedOf(definition, values, open);
  }
  return values;
}

/** Of several ways to fill a place the first is sampled, unless another was taken. */
const isDue = ({ key, required, oneOf }: TemplateVariable, given: ReadonlyMap<string, string>): boolean =>
  required || (oneOf?.[0] === key && !oneOf.some((other) => given.has(other)));

const sampleOf = ({ key, example, maxLength }: TemplateVariable): string => {
  const slot = slotOf(key);
  if (slot === HEADER_LINK) return isLink(example) ? example : plainSample(key);
  if (slot === PRODUCT || slot === COPY_CODE) return usable(example, maxLength) ?? plainSample(key);
  const isCode = maxLength !== null && maxLength <= 15;
  return usable(example, maxLength) ?? (isCode ? "123456" : `value ${slot}`).slice(0, Math.min(40, maxLength ?? 40));
};

/** A sample may hold what a send may not: a full address, or more than fits. */
const usable = (example: string | null, maxLength: number | null): string | undefined => {
  const text = example?.replace(/\s+/g, " ").trim() ?? "";
  const isUsable = text !== "" && !/^https?:/i.test(text) && characterCount(text) <= (maxLength ?? 160);
  return isUsable ? text : undefined;
};

/** Never longer than the placeholder that it fills, so that no text outgrows its limit by it. */
const plainSample = (key: string): string => {
  const slot = slotOf(key);
  return PLAIN[slot] ?? slot;
};

const PLAIN: Record<string, string> = {
  [HEADER_LINK]: "https://example.com/picture.jpg",
  [COPY_CODE]: "CODE25",
  [PRODUCT]: "SKU-1",
};

const slotOf = (key: string): string => readCardKey(key)?.slot ?? key;

/** The keys among `open` whose values a send would be refused for. */
const refusedOf = (
  definition: TemplateDefinition,
  values: ReadonlyMap<string, string>,
  open: ReadonlySet<string>,
): string[] => {
  try {
    fillParts(definition, { templateVariables: Object.fromEntries(values) });
    return [];
  } catch (error) {
    const paths = new Set(issuesOf(error).map(({ path }) => path));
    return [...open].filter((key) => paths.has(`templateVariables.${key}`));
  }
};

const isLink = (text: string | null): text is string => text !== null && isWebAddress(text);
