import { z } from "zod";
import { isRecord } from "@/lib/core/is-record";
import { characterCount, listSome, quote } from "@/lib/core/text";
import { MOST_CHARACTERS } from "@/lib/whatsapp/limits";
import { type Fault, faultOf, limitOf } from "@/lib/whatsapp/parts";

type RawIssue = z.core.$ZodRawIssue;

/** zod's error map for an `interactive` object of `type`: every fault in our API's words. */
export function interactiveWords(type: string) {
  return (issue: RawIssue): string => {
    const name = String(issue.path?.findLast((step) => typeof step === "string") ?? "");
    const fault = faultOf(issue);
    if (fault) return faultWords(fault, issue.input, name);
    switch (issue.code) {
      case "invalid_type":
        if (issue.expected === "never") return `A message of type "${type}" has no ${name}. Leave it out.`;
        return typeWords(issue, name);
      case "invalid_value":
        return wordNeeded(issue.input, issue.values);
      case "invalid_union":
        return wordNeeded(isRecord(issue.input) ? issue.input[name] : undefined, issue.options);
      default:
        return "The value is not valid. Correct it.";
    }
  };
}

const typeWords = ({ input, inst }: RawIssue, name: string): string => {
  const limit = inst instanceof z.ZodType ? limitOf(inst) : undefined;
  if (limit?.rule === "place" || limit?.rule === "data") return faultWords(limit, input, name);
  return needed(limit ? wanted(limit, name) : shapeWords(inst), input);
};

const shapeWords = (inst: RawIssue["inst"]): string => {
  if (inst instanceof z.ZodDiscriminatedUnion) return objectWith([inst.def.discriminator]);
  return inst instanceof z.ZodObject ? objectWith(Object.keys(inst.shape)) : "a string";
};

const objectWith = (fields: string[]): string => `an object with ${listSome(fields.map((field) => `\`${field}\``))}`;

const needed = (kind: string, value: unknown): string =>
  value === undefined ? `is required. It must be ${kind}.` : `must be ${kind}, not ${kindOf(value)}.`;

const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
};

const wanted = (fault: Fault, name: string): string => {
  switch (fault.rule) {
    case "characters":
      return Number.isFinite(fault.most) ? `a string of 1 to ${fault.most} characters` : "a string";
    case "entries":
      return `an array of ${fault.least} to ${fault.most} ${entriesOf(name)}`;
    case "address":
      return "a URL that begins with https://";
    default:
      return "a string";
  }
};

const entriesOf = (name: string): string => (name === "product_items" ? "products" : name);

const wordNeeded = (value: unknown, words: unknown): string => {
  const choice = [words]
    .flat()
    .map((word) => `"${word}"`)
    .join(" or ");
  return typeof value === "string" ? `must be ${choice}, not ${quote(value)}.` : needed(choice, value);
};

const faultWords = (fault: Fault, input: unknown, name: string): string => {
  const value = typeof input === "string" ? input : "";
  switch (fault.rule) {
    case "characters": {
      if (value.trim() === "") return `is empty. It must be ${wanted(fault, name)}.`;
      const characters = characterCount(value);
      return `${quote(value)} is ${characters} characters, the limit is ${fault.most}. Shorten it.`;
    }
    case "entries": {
      const count = Array.isArray(input) ? input.length : 0;
      return `has ${count} ${entriesOf(name)}; it must have ${fault.least} to ${fault.most}.`;
    }
    case "address":
      return `${quote(value)} is not an http:// or https:// URL. Send the whole URL.`;
    case "mediaId":
      return `${quote(value)} is not a WhatsApp media id, which is digits only. Send that, or a link.`;
    case "edges":
      return "The id begins or ends with a space, which WhatsApp refuses. Remove it.";
    case "emoji":
      return "WhatsApp refuses emoji in the label of a flow's button. Remove them.";
    case "data":
      return "The data is not an object with at least one field. Fill it, or leave it out.";
    case "lineBreaks":
      return `A card's body may have ${fault.most} line breaks at most. Remove some.`;
    case "place":
      return `Each card needs a \`card_index\`, a whole number from 0 to ${fault.most}.`;
    case "titles":
      return `With several sections each needs a \`title\`, of at most ${MOST_CHARACTERS.sectionTitle} characters.`;
    case "alike":
      return "All cards of a carousel need the same type, and the same kind and number of buttons; this one differs from card 0 of the list.";
    case "unique":
      return `${quote(String(input))} is the ${fault.what} of an earlier entry too. Make each ${fault.what} unique.`;
    case "inAll":
      return `The sections have ${fault.count} ${fault.what} in all; the whole message may have ${fault.most}.`;
    case "exactlyOne": {
      const found = fault.given.length === 0 ? "None is" : `${fault.given.join(" and ")} are`;
      return `${found} given; exactly one of ${fault.fields.join(" and ")} is needed.`;
    }
    default:
      return fault satisfies never;
  }
};
