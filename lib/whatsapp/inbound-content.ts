import { isRecord } from "@/lib/core/json";
import { characterCount, cutText } from "@/lib/core/text";
import { idOf, storableText, wordOf } from "./wire";

/** What a person wrote or chose. Where each field of WhatsApp's goes is in tests/unit/inbound-fields.test.ts. */
export type InboundContent = {
  /** `text`, `button`, `list`, `flow`, `reaction`, or WhatsApp's own word for anything else, such as `image`. */
  type: string;
  /** The text, the title of the button or row, the caption of a file, the emoji of a reaction. */
  text: string | null;
  /** What a program reads: the id of the button or row, or as JSON whatever has no field of its own. */
  payload: string | null;
  /** The text was cut, or the payload is missing: it is longer than what we store. */
  isTruncated: boolean;
  /** A file's description; its bytes stay at WhatsApp. */
  media: {
    type: string;
    mimeType: string;
    sha256: string | null;
    id: string;
    fileName: string | null;
    voice: boolean;
    animated: boolean;
  } | null;
  location: {
    latitude: number;
    longitude: number;
    name: string | null;
    address: string | null;
    url: string | null;
  } | null;
  /** What it refers to, and whether it came from another chat. */
  context: {
    whatsappMessageId: string | null;
    forwarded: boolean;
    frequentlyForwarded: boolean;
    product: { catalogId: string | null; productRetailerId: string | null } | null;
  } | null;
  /** The ad or post that the person came from. */
  referral: Record<(typeof REFERRAL)[number][0], string | null> | null;
};

/** A text has at most 4,096 characters; this leaves room for a flow's answer, and a webhook can have 4 MB. */
const MAX_CHARACTERS = 65_536;

/** Reads the content of one of `messages[]`. */
export function readContent(raw: Record<string, unknown>): InboundContent {
  const type = wordOf(raw.type) ?? "unsupported";
  const part = isRecord(raw[type]) ? raw[type] : {};
  const { text, payload, ...rest } = readPart(type, part, raw);
  const json = typeof payload === "string" ? payload : payload == null ? null : JSON.stringify(payload);
  const isTooLong = (value: unknown) => typeof value === "string" && characterCount(value) > MAX_CHARACTERS;
  return {
    type,
    media: null,
    location: null,
    ...rest,
    text: textOf(text),
    // JSON that is cut is none.
    payload: isTooLong(json) ? null : textOf(json),
    isTruncated: isTooLong(text) || isTooLong(json),
    context: readContext(raw.context),
    referral: readReferral(raw.referral),
  };
}

/** As WhatsApp wrote them. */
type Unread = { text?: unknown; payload?: unknown };
type Part = Unread & Partial<Pick<InboundContent, "type" | "media" | "location">>;

function readPart(type: string, part: Record<string, unknown>, raw: Record<string, unknown>): Part {
  switch (type) {
    case "text":
      return { text: part.body };
    case "button":
      return { text: part.text, payload: part.payload };
    case "interactive":
      return readChoice(part);
    case "reaction":
      return { text: part.emoji };
    case "location":
      return { location: readPlace(part), payload: readPlace(part) ? null : part };
    case "order":
      return { text: part.text || null, payload: part };
    case "contacts":
      return { payload: raw.contacts };
    default: {
      const media = readMedia(type, part);
      const isWhole = media !== null && FILES.includes(type) && raw.errors === undefined;
      const whole = raw.errors === undefined ? raw[type] : { ...part, errors: raw.errors };
      return { text: part.caption, media, payload: isWhole ? null : whole };
    }
  }
}

/** What a file of these says is in `media`, except for its caption. */
const FILES = ["image", "video", "audio", "document", "sticker"];

/** An answer of another kind, such as `call_permission_reply`, goes by its own name, with all of it as payload. */
function readChoice(interactive: Record<string, unknown>): Part {
  const { button_reply: button, list_reply: row, nfm_reply: flow } = interactive;
  if (isRecord(button)) return { type: "button", text: button.title, payload: button.id };
  if (isRecord(row)) return { type: "list", text: row.title, payload: row.id };
  if (isRecord(flow)) return { type: "flow", text: flow.body, payload: flow.response_json };
  const type = wordOf(interactive.type) ?? "interactive";
  const body = isRecord(interactive[type]) ? interactive[type] : interactive;
  return { type, text: body.body ?? body.title ?? body.response, payload: body };
}

function readMedia(type: string, part: Record<string, unknown>): InboundContent["media"] {
  const [id, mimeType] = [idOf(part.id), wordOf(part.mime_type)];
  if (id === null || mimeType === null) return null;
  const [voice, animated] = [part.voice === true, part.animated === true];
  return { type, mimeType, sha256: wordOf(part.sha256), id, fileName: textOf(part.filename), voice, animated };
}

const readPlace = ({ latitude, longitude, ...place }: Record<string, unknown>): InboundContent["location"] =>
  typeof latitude === "number" && typeof longitude === "number"
    ? { latitude, longitude, name: textOf(place.name), address: textOf(place.address), url: textOf(place.url) }
    : null;

function readContext(context: unknown): InboundContent["context"] {
  if (!isRecord(context)) return null;
  const { referred_product: product } = context;
  return {
    whatsappMessageId: idOf(context.id),
    forwarded: context.forwarded === true || context.frequently_forwarded === true,
    frequentlyForwarded: context.frequently_forwarded === true,
    product: isRecord(product)
      ? { catalogId: idOf(product.catalog_id), productRetailerId: idOf(product.product_retailer_id) }
      : null,
  };
}

/** Our names of WhatsApp's. */
const REFERRAL = [
  ["sourceType", "source_type"],
  ["sourceId", "source_id"],
  ["sourceUrl", "source_url"],
  ["headline", "headline"],
  ["body", "body"],
  ["mediaType", "media_type"],
  ["imageUrl", "image_url"],
  ["videoUrl", "video_url"],
  ["thumbnailUrl", "thumbnail_url"],
  ["clickId", "ctwa_clid"],
] as const;

function readReferral(referral: unknown): InboundContent["referral"] {
  if (!isRecord(referral)) return null;
  const entries = REFERRAL.map(([name, key]) => [name, textOf(referral[key])]);
  return Object.fromEntries(entries);
}

const textOf = (value: unknown): string | null =>
  typeof value === "string" ? storableText(cutText(value, MAX_CHARACTERS)) : null;
