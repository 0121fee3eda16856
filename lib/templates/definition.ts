import type { Template } from "@/db/schema";
import { isRecord } from "@/lib/core/json";
import type { MediaFormat } from "@/lib/whatsapp/components";
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

export type StoredTemplate = {
  name: string;
  language: string;
  category: string;
  parameterFormat: string;
  components: unknown[];
};

/** Converts WhatsApp's stored components to a definition. Never throws: unknown parts are left out. */
export function readDefinition(stored: StoredTemplate): TemplateDefinition {
  const components = readComponents(stored.components);
  const part = readPart(components);
  const body = part.body ?? (stored.category.toUpperCase() === "AUTHENTICATION" ? ONE_TIME_CODE_BODY : null);
  const carousel = components.find((component) => component.type === "CAROUSEL")?.cards ?? [];
  const cards = carousel.map((card) => readPart(readComponents(card.components)));
  return {
    ...part,
    body,
    name: stored.name,
    language: stored.language,
    isNamed: stored.parameterFormat.toUpperCase() === "NAMED" || [{ ...part, body }, ...cards].some(hasNamedSlot),
    hasExpiringOffer: components.some((component) => component.limited_time_offer.has_expiration),
    offer: components.find(({ type }) => type === "LIMITED_TIME_OFFER")?.limited_time_offer.text || null,
    footer: components.find(({ type }) => type === "FOOTER")?.text || null,
    cards,
  };
}

/** Detects named variables from the texts, for templates stored without a parameter format. */
const hasNamedSlot = ({ header, body }: TemplatePart): boolean =>
  [...(header?.kind === "text" ? header.slots : []), ...(body?.slots ?? [])].some(({ key }) => !isNumeric(key));

// WhatsApp writes the body of an authentication template itself, so a template may be stored without its text.
const ONE_TIME_CODE_BODY: SlottedText = { text: "{{1}}", slots: [{ key: "1", example: null }] };

const MEDIA_FORMATS: Record<string, MediaFormat> = { IMAGE: "image", VIDEO: "video", DOCUMENT: "document" };

type StoredComponent = {
  type: string;
  format: string;
  text: string;
  example: Record<string, unknown>;
  buttons: unknown[];
  cards: { components: unknown[] }[];
  limited_time_offer: { has_expiration: boolean; text: string };
};
type StoredButton = {
  type: string;
  text: string;
  url: string;
  phone_number: string;
  otp_type: string;
  example: unknown;
};

// Parsed by hand, not with a schema: most components lack most fields, and templates are parsed on every
// send and in every list.
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const word = (value: unknown): string => text(value).toUpperCase();
const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

const readComponents = (components: unknown[]): StoredComponent[] =>
  components.filter(isRecord).map((component) => ({
    type: word(component.type),
    format: word(component.format),
    text: text(component.text),
    example: record(component.example),
    buttons: items(component.buttons),
    cards: items(component.cards).map((card) => ({ components: items(record(card).components) })),
    limited_time_offer: readOffer(record(component.limited_time_offer)),
  }));

const readOffer = (offer: Record<string, unknown>) => ({
  has_expiration: offer.has_expiration === true,
  text: text(offer.text),
});

const readStoredButton = (button: Record<string, unknown>): StoredButton => ({
  type: word(button.type),
  text: text(button.text),
  url: text(button.url),
  phone_number: text(button.phone_number),
  otp_type: text(button.otp_type),
  example: button.example,
});

const readPart = (components: StoredComponent[]): TemplatePart => {
  const header = components.find(({ type }) => type === "HEADER");
  const body = components.find(({ type, text }) => type === "BODY" && text !== "");
  const buttons = components.find(({ type }) => type === "BUTTONS")?.buttons ?? [];
  return {
    header: header ? readHeader(header) : null,
    body: body ? readText(body, "body_text") : null,
    buttons: buttons.map((button, index) => {
      const stored = readStoredButton(record(button));
      return { index, label: stored.text || LABELS[stored.type] || "", ...readButton(stored) };
    }),
  };
};

const readHeader = (header: StoredComponent): TemplateHeader => {
  if (header.format === "TEXT" || (header.format === "" && header.text !== "")) {
    return { kind: "text", ...readText(header, "header_text") };
  }
  const format = MEDIA_FORMATS[header.format];
  if (!format) return { kind: "other", format: header.format };
  const [sample] = strings(header.example.header_handle);
  // WhatsApp lists a URL here; an upload handle would not work as an example.
  return { kind: "media", format, example: sample && /^https?:/.test(sample) ? sample : null };
};

const readText = ({ text, example }: StoredComponent, field: "body_text" | "header_text"): SlottedText => {
  const byPosition = strings(example[field]);
  const byName = new Map(namedExamples(example[`${field}_named_params`]));
  const slots = findPlaceholders(text).map((key, position) => ({
    key,
    example: byName.get(key) ?? byPosition[position] ?? null,
  }));
  return { text, slots };
};

/** Labels that WhatsApp sets for buttons without a custom label. */
const LABELS: Record<string, string> = {
  COPY_CODE: "Copy offer code",
  OTP: "Copy code",
  CATALOG: "View catalog",
  MPM: "View items",
  SPM: "View",
};

type Kind<B> = B extends unknown ? Omit<B, "index" | "label"> : never;

const readButton = (button: StoredButton): Kind<TemplateButton> => {
  switch (button.type) {
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
      return { kind: "fixed", target: button.phone_number || null };
  }
};

const readUrlButton = ({ type, url, otp_type, example }: StoredButton): Kind<TemplateButton> => {
  // A one-time code button is created as OTP and listed as a WhatsApp URL.
  const isOneTimeCode = type === "OTP" || otp_type !== "" || url.startsWith("https://www.whatsapp.com/otp/");
  const key = findPlaceholders(url)[0] ?? (isOneTimeCode ? "1" : undefined);
  if (key === undefined) return { kind: "fixed", target: url || null };
  const [sample] = strings(example);
  const slot = { key, example: sample === undefined || isOneTimeCode ? null : suffixOf(sample, url) };
  return { kind: "url", url: url || null, slot, isOneTimeCode };
};

/** Returns the variable part of a sample URL; a sample can also be just that part. */
const suffixOf = (sample: string, url: string): string | null => {
  const base = url.slice(0, url.indexOf("{{"));
  if (sample.startsWith(base)) return sample.slice(base.length);
  return /^https?:/.test(sample) ? null : sample;
};

/** Reads samples in the forms `[["a","b"]]`, `["a","b"]` and `"a"`. */
const strings = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  return value.flat().filter((item) => typeof item === "string");
};

const namedExamples = (value: unknown): [name: string, example: string][] =>
  items(value)
    .map(record)
    .map(({ param_name, example }) => [text(param_name), text(example)]);

/** A definition is some KB, and that of a carousel up to 20. */
const MOST_KEPT = 1_000;

/** By workspace and template; the ones that were asked for last are at the end. */
const kept = new Map<string, { atMs: number; definition: TemplateDefinition }>();

/** Parses a template's row, which the caller has just read, once for each change of it (`updated_at`). */
export function definitionOf(template: Template): TemplateDefinition {
  const key = `${template.workspaceId}/${template.id}`;
  const atMs = template.updatedAt.getTime();
  const known = kept.get(key);
  const definition = known?.atMs === atMs ? known.definition : readDefinition(template);
  kept.delete(key);
  kept.set(key, { atMs, definition });
  const [oldest] = kept.size > MOST_KEPT ? kept.keys() : [];
  if (oldest !== undefined) kept.delete(oldest);
  return definition;
}
