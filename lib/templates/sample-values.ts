import { issuesOf } from "@/lib/core/app-error";
import { characterCount } from "@/lib/core/text";
import { isWebAddress } from "@/lib/whatsapp/limits";
import type { TemplateDefinition } from "./definition";
import { fillParts } from "./fill";
import { COPY_CODE, HEADER_LINK, listVariables, PRODUCT, readCardKey, type TemplateVariable } from "./variable-keys";

/**
 * Returns `templateVariables` for a send: the typed values, and samples for the other required
 * ones. Uses the template's own sample if a send would accept it; optional values are left out.
 */
export function withSamples(definition: TemplateDefinition, typed: ReadonlyMap<string, string>): Map<string, string> {
  const given = new Map([...typed].filter(([, text]) => text !== ""));
  const variables = listVariables(definition).filter(
    (variable) => variable.fillWith === undefined && (given.has(variable.key) || isDue(variable, given)),
  );
  const values = new Map(variables.map((variable) => [variable.key, given.get(variable.key) ?? sampleOf(variable)]));
  const open = new Set([...values.keys()].filter((key) => !given.has(key)));
  // A template's own sample may break a rule of sends, such as the length of the filled text.
  for (let refused = refusedOf(definition, values, open); refused.length > 0; ) {
    for (const key of refused) {
      open.delete(key);
      values.set(key, plainSample(key));
    }
    refused = refusedOf(definition, values, open);
  }
  return values;
}

/** If a slot can be filled in several ways, the first gets a sample, unless another is given. */
const isDue = ({ key, required, oneOf }: TemplateVariable, given: ReadonlyMap<string, string>): boolean =>
  required || (oneOf?.[0] === key && !oneOf.some((other) => given.has(other)));

function sampleOf({ key, example, maxLength }: TemplateVariable): string {
  const slot = slotOf(key);
  if (slot === HEADER_LINK) return isLink(example) ? example : plainSample(key);
  if (slot === PRODUCT || slot === COPY_CODE) return usable(example, maxLength) ?? plainSample(key);
  const isCode = maxLength !== null && maxLength <= 15;
  return usable(example, maxLength) ?? (isCode ? "123456" : `value ${slot}`).slice(0, Math.min(40, maxLength ?? 40));
}

/** A template's sample may be invalid in a send: a full URL, or too long. */
function usable(example: string | null, maxLength: number | null): string | undefined {
  const text = example?.replace(/\s+/g, " ").trim() ?? "";
  const isUsable = text !== "" && !/^https?:/i.test(text) && characterCount(text) <= (maxLength ?? 160);
  return isUsable ? text : undefined;
}

/** At most as long as its placeholder, so that it never makes a text too long. */
function plainSample(key: string): string {
  const slot = slotOf(key);
  return PLAIN[slot] ?? slot;
}

const PLAIN: Record<string, string> = {
  [HEADER_LINK]: "https://example.com/picture.jpg",
  [COPY_CODE]: "CODE25",
  [PRODUCT]: "SKU-1",
};

const slotOf = (key: string): string => readCardKey(key)?.slot ?? key;

/** Returns the keys in `open` whose values a send would reject. */
function refusedOf(
  definition: TemplateDefinition,
  values: ReadonlyMap<string, string>,
  open: ReadonlySet<string>,
): string[] {
  try {
    fillParts(definition, { templateVariables: Object.fromEntries(values) });
    return [];
  } catch (error) {
    const paths = new Set(issuesOf(error).map(({ path }) => path));
    return [...open].filter((key) => paths.has(`templateVariables.${key}`));
  }
}

const isLink = (text: string | null): text is string => text !== null && isWebAddress(text);
