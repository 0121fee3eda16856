import type { Template } from "@/db/schema";
import { isRecord, list, record, text } from "@/lib/core/json";
import type { MediaFormat } from "@/lib/whatsapp/message-payload";
import { findPlaceholders, isNumeric } from "@/lib/whatsapp/placeholders";

/** A placeholder of a stored text; `example` is the sample value that the template was approved with. */
export type Slot = { key: string; example: string | null };

export type SlottedText = { text: string; slots: Slot[] };

export type TemplateHeader =
  | ({ kind: "text" } & SlottedText)
  | { kind: "media"; format: MediaFormat; example: string | null }
  /** Needs more than a string at send time; `format` is WhatsApp's word, e.g. `LOCATION`. */
  | { kind: "other"; format: string };

/** `index` is the position among the template's (or card's) buttons, from 0; `label` is the visible text. */
export type TemplateButton = { index: number; label: string } & (
  | {
      kind: "url";
      /** As stored, with its placeholder; null if WhatsApp hides the URL (one-time codes). */
      url: string | null;
      slot: Slot;
      isOneTimeCode: boolean;
    }
  | { kind: "copyCode"; example: string | null }
  | { kind: "quickReply" | "catalog" | "multiProduct" | "singleProduct" | "flow" }
  /** Needs no value at send time: a fixed URL or phone number as `target`, or an unknown kind. */
  | { kind: "fixed"; target: string | null }
);

export type TemplatePart = { header: TemplateHeader | null; body: SlottedText | null; buttons: TemplateButton[] };

/** What a send needs to know of a template. `cards` is empty unless the template is a carousel. */
export type TemplateDefinition = TemplatePart & {
  name: string;
  language: string;
  isNamed: boolean;
  hasExpiringOffer: boolean;
  /** The heading of a limited-time offer. */
  offer: string | null;
  footer: string | null;
  cards: TemplatePart[];
};

export type StoredTemplate = Pick<Template, "name" | "language" | "category" | "parameterFormat" | "components">;

/** Converts WhatsApp's stored components to a definition. Never throws: unknown parts are left out. */
export function readDefinition(stored: StoredTemplate): TemplateDefinition {
  const part = readPart(stored.components);
  const components = stored.components.filter(isRecord);
  const body = part.body ?? (stored.category.toUpperCase() === "AUTHENTICATION" ? ONE_TIME_CODE_BODY : null);
  const cards = list(find(components, "CAROUSEL").cards).map((card) => readPart(list(record(card).components)));
  return {
    ...part,
    body,
    name: stored.name,
    language: stored.language,
    isNamed: stored.parameterFormat.toUpperCase() === "NAMED" || [{ ...part, body }, ...cards].some(hasNamedSlot),
    hasExpiringOffer: components.some((component) => record(component.limited_time_offer).has_expiration === true),
    offer: text(record(find(components, "LIMITED_TIME_OFFER").limited_time_offer).text) || null,
    footer: text(find(components, "FOOTER").text) || null,
    cards,
  };
}

/** Detects named variables from the texts, for templates stored without a parameter format. */
const hasNamedSlot = ({ header, body }: TemplatePart): boolean =>
  [...(header?.kind === "text" ? header.slots : []), ...(body?.slots ?? [])].some(({ key }) => !isNumeric(key));

// WhatsApp writes the body of an authentication template itself, so a template may be stored without its text.
const ONE_TIME_CODE_BODY: SlottedText = { text: "{{1}}", slots: [{ key: "1", example: null }] };

const MEDIA_FORMATS: Record<string, MediaFormat> = { IMAGE: "image", VIDEO: "video", DOCUMENT: "document" };

/** A component or button as stored: any of its fields may be missing, or of another type. */
type Stored = Record<string, unknown>;

// Parsed by hand, not with a schema: most components lack most fields, and templates are parsed on every
// send and in every list.
const word = (value: unknown): string => text(value).toUpperCase();

/** The first of a type, without any field if there is none. */
const find = (components: Stored[], type: string): Stored => components.find((one) => word(one.type) === type) ?? {};

function readPart(stored: unknown[]): TemplatePart {
  const components = stored.filter(isRecord);
  const header = components.find(({ type }) => word(type) === "HEADER");
  const body = components.find((one) => word(one.type) === "BODY" && text(one.text) !== "");
  return {
    header: header ? readHeader(header) : null,
    body: body ? readText(body, "body_text") : null,
    buttons: list(find(components, "BUTTONS").buttons).map((given, index) => {
      const button = record(given);
      return { index, label: text(button.text) || LABELS[word(button.type)] || "", ...readButton(button) };
    }),
  };
}

function readHeader(header: Stored): TemplateHeader {
  const kind = word(header.format);
  if (kind === "TEXT" || (kind === "" && text(header.text) !== "")) {
    return { kind: "text", ...readText(header, "header_text") };
  }
  const format = MEDIA_FORMATS[kind];
  if (!format) return { kind: "other", format: kind };
  const [sample] = strings(record(header.example).header_handle);
  // WhatsApp lists a URL here; an upload handle would not work as an example.
  return { kind: "media", format, example: sample && /^https?:/.test(sample) ? sample : null };
}

function readText(component: Stored, field: "body_text" | "header_text"): SlottedText {
  const example = record(component.example);
  const byPosition = strings(example[field]);
  const byName = new Map(namedExamples(example[`${field}_named_params`]));
  const shown = text(component.text);
  const slots = findPlaceholders(shown).map((key, position) => ({
    key,
    example: byName.get(key) ?? byPosition[position] ?? null,
  }));
  return { text: shown, slots };
}

/** Labels that WhatsApp sets for buttons without a custom label. */
const LABELS: Record<string, string> = {
  COPY_CODE: "Copy offer code",
  OTP: "Copy code",
  CATALOG: "View catalog",
  MPM: "View items",
  SPM: "View",
};

type Kind<B> = B extends unknown ? Omit<B, "index" | "label"> : never;

function readButton(button: Stored): Kind<TemplateButton> {
  switch (word(button.type)) {
    case "URL":
    case "OTP":
      return readUrlButton(button);
    case "COPY_CODE":
      return { kind: "copyCode", example: strings(button.example)[0] ?? null };
    case "QUICK_REPLY":
      return { kind: "quickReply" };
    case "CATALOG":
      return { kind: "catalog" };
    case "MPM":
      return { kind: "multiProduct" };
    case "SPM":
      return { kind: "singleProduct" };
    case "FLOW":
      return { kind: "flow" };
    default:
      return { kind: "fixed", target: text(button.phone_number) || null };
  }
}

function readUrlButton({ type, url: given, otp_type, example }: Stored): Kind<TemplateButton> {
  const url = text(given);
  // A one-time code button is created as OTP and listed as a WhatsApp URL.
  const isOneTimeCode =
    word(type) === "OTP" || text(otp_type) !== "" || url.startsWith("https://www.whatsapp.com/otp/");
  const key = findPlaceholders(url)[0] ?? (isOneTimeCode ? "1" : undefined);
  if (key === undefined) return { kind: "fixed", target: url || null };
  const [sample] = strings(example);
  const slot = { key, example: sample === undefined || isOneTimeCode ? null : suffixOf(sample, url) };
  return { kind: "url", url: url || null, slot, isOneTimeCode };
}

/** Returns the variable part of a sample URL; a sample can also be just that part. */
function suffixOf(sample: string, url: string): string | null {
  const base = url.slice(0, url.indexOf("{{"));
  if (sample.startsWith(base)) return sample.slice(base.length);
  return /^https?:/.test(sample) ? null : sample;
}

/** Reads samples in the forms `[["a","b"]]`, `["a","b"]` and `"a"`. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  return value.flat().filter((item) => typeof item === "string");
}

const namedExamples = (value: unknown): [name: string, example: string][] =>
  list(value)
    .map(record)
    .map(({ param_name, example }) => [text(param_name), text(example)]);
