import { z } from "zod";
import { invalid, invalidAt } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { characterCount, listSome, quote } from "@/lib/core/text";
import { INTERACTIVE } from "@/lib/whatsapp/interactive";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { type Fault, faultOf, limitOf } from "@/lib/whatsapp/parts";
import { meantKey, rightKey } from "@/lib/whatsapp/right-key";

type Interactive = Record<string, unknown>;

/** A prefix of WhatsApp's path, and what the caller wrote in its place. */
type Alias = [full: string, given: string];

type Expanded = { interactive: Interactive; aliases: Alias[] };

/**
 * Returns WhatsApp's full `interactive` object from the parsed JSON of `content`: that object, or the short form of
 * a button, list or cta_url. Throws one VALIDATION_ERROR with every broken limit, under the path the caller wrote.
 * Unknown types pass through unchanged.
 */
export function readInteractive(content: unknown): Interactive {
  if (!isRecord(content)) {
    throw invalidAt(
      "content",
      'The JSON in it is not an object. Send one like {"type":"button","body":"…","buttons":[…]}.',
    );
  }
  if (typeof content.type !== "string" || content.type === "") {
    throw invalidAt("content.type", 'is required. It is a string, such as "button", "list" or "cta_url".');
  }
  const schema = INTERACTIVE.get(content.type);
  if (!schema) return content;
  const { interactive, aliases } = expand(content.type, content);
  const { error } = schema.safeParse(interactive, { error: interactiveWords(content.type) });
  const found = error?.issues ?? [];
  const misspelt = found.flatMap(misspeltIn);
  const isMissed = (path: PropertyKey[]) => misspelt.some(({ meant }) => meant === contentPath(path));
  // Unknown fields are allowed.
  const broken = found.filter(({ code, path }) => code !== "unrecognized_keys" && !isMissed(path));
  const issues = [...misspelt, ...broken].map(({ path, message }) => ({
    path: asWritten(contentPath(path), aliases),
    message,
  }));
  if (issues.length > 0) throw invalid(issues);
  return interactive;
}

/** The unknown keys that are another spelling of one of WhatsApp's, which are all inside of the parts. */
const misspeltIn = (issue: z.core.$ZodIssue) =>
  (issue.code === "unrecognized_keys" && issue.path.length > 0 ? issue.keys : []).flatMap((key) => {
    const right = rightKey(key);
    if (right === undefined) return [];
    return { path: [...issue.path, key], meant: contentPath([...issue.path, right]), message: meantKey(right) };
  });

function expand(type: string, content: Interactive): Expanded {
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));
  const { interactive, aliases } = expandTexts(given);
  const [action, actionAliases] = expandAction(type, interactive);
  return { interactive: action, aliases: [...actionAliases, ...aliases] };
}

/** `body`, `footer` and `header` as plain strings. */
function expandTexts(content: Interactive): Expanded {
  const parts = ["header", "body", "footer"].filter((part) => typeof content[part] === "string");
  const expanded = parts.map((part) => [
    part,
    part === "header" ? { type: "text", text: content[part] } : { text: content[part] },
  ]);
  return {
    interactive: { ...content, ...Object.fromEntries(expanded) },
    aliases: parts.map((part) => [`content.${part}.text`, `content.${part}`]),
  };
}

function expandAction(type: string, content: Interactive): [Interactive, Alias[]] {
  switch (type) {
    case "button":
      return expandButtons(content);
    case "list": {
      if (content.action !== undefined) return [content, []];
      const { button, sections, ...rest } = content;
      return [{ ...rest, action: { button, sections } }, [["content.action", "content"]]];
    }
    case "cta_url": {
      if (content.action !== undefined) return [content, []];
      const { display_text, displayText, url, ...rest } = content;
      const parameters = { display_text: display_text ?? displayText, url };
      const label: Alias[] =
        displayText === undefined ? [] : [["content.action.parameters.display_text", "content.displayText"]];
      return [
        { ...rest, action: { name: "cta_url", parameters } },
        [...label, ["content.action.parameters", "content"]],
      ];
    }
    default:
      return [content, []];
  }
}

/** Buttons can be in `buttons` or `action.buttons`, each as `{id, title}` or as WhatsApp's reply object. */
function expandButtons(content: Interactive): [Interactive, Alias[]] {
  if (content.action === undefined) {
    const { buttons, ...rest } = content;
    const [replies, aliases] = expandReplies(buttons);
    return [{ ...rest, action: { buttons: replies } }, [...aliases, ["content.action", "content"]]];
  }
  if (!isRecord(content.action)) return [content, []];
  const [buttons, aliases] = expandReplies(content.action.buttons);
  return [{ ...content, action: { ...content.action, buttons } }, aliases];
}

function expandReplies(buttons: unknown): [replies: unknown, Alias[]] {
  if (!Array.isArray(buttons)) return [buttons, []];
  const isShort = (button: unknown): button is Interactive => isRecord(button) && button.reply === undefined;
  const aliases = buttons.flatMap((button: unknown, index): Alias[] =>
    isShort(button) ? [[`content.action.buttons[${index}].reply`, `content.action.buttons[${index}]`]] : [],
  );
  return [buttons.map((button: unknown) => (isShort(button) ? toReply(button) : button)), aliases];
}

const toReply = ({ type = "reply", ...reply }: Interactive): Interactive => ({ type, reply });

const contentPath = (path: PropertyKey[]): string =>
  path.reduce<string>((text, step) => text + (typeof step === "number" ? `[${step}]` : `.${String(step)}`), "content");

const asWritten = (path: string, aliases: Alias[]): string =>
  aliases.reduce((written, [full, given]) => {
    const isBelow = written === full || written.startsWith(`${full}.`) || written.startsWith(`${full}[`);
    return isBelow ? given + written.slice(full.length) : written;
  }, path);

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

function typeWords({ input, inst }: RawIssue, name: string): string {
  const limit = inst instanceof z.ZodType ? limitOf(inst) : undefined;
  if (limit?.rule === "place" || limit?.rule === "data") return faultWords(limit, input, name);
  return needed(limit ? wanted(limit, name) : shapeWords(inst), input);
}

function shapeWords(inst: RawIssue["inst"]): string {
  if (inst instanceof z.ZodDiscriminatedUnion) return objectWith([inst.def.discriminator]);
  return inst instanceof z.ZodObject ? objectWith(Object.keys(inst.shape)) : "a string";
}

const objectWith = (fields: string[]): string => `an object with ${listSome(fields.map((field) => `\`${field}\``))}`;

const needed = (kind: string, value: unknown): string =>
  value === undefined ? `is required. It must be ${kind}.` : `must be ${kind}, not ${kindOf(value)}.`;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function wanted(fault: Fault, name: string): string {
  switch (fault.rule) {
    case "characters":
      return Number.isFinite(fault.most) ? `a string of 1 to ${fault.most} characters` : "a string";
    case "entries":
      return `an array of ${fault.least} to ${fault.most} ${entriesOf(name)}`;
    case "address":
      return "an http:// or https:// URL";
    default:
      return "a string";
  }
}

const entriesOf = (name: string): string => (name === "product_items" ? "products" : name);

function wordNeeded(value: unknown, words: unknown): string {
  const choice = [words]
    .flat()
    .map((word) => `"${word}"`)
    .join(" or ");
  return typeof value === "string" ? `must be ${choice}, not ${quote(value)}.` : needed(choice, value);
}

function faultWords(fault: Fault, input: unknown, name: string): string {
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
      return `With several sections each needs a \`title\`, of at most ${MAX_CHARACTERS.sectionTitle} characters.`;
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
}
