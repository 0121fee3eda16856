import { isRecord } from "@/lib/core/json";
import { idOf, storableText, wordOf } from "./wire";

/** What a person wrote or chose. */
export type InboundContent = {
  /** `text`, `button`, `list`, `flow`, `reaction`, or WhatsApp's own word for anything else, such as `image`. */
  type: string;
  /** The text, the title of the button or row, the caption of a file, the emoji of a reaction. */
  text: string | null;
  /** What a program reads: the id of the button or row, or the JSON of a flow's answer, an order or contact cards. */
  payload: string | null;
  /** A file's description; its bytes stay at WhatsApp. */
  media: { type: string; mimeType: string; sha256: string | null; id: string } | null;
  location: { latitude: number; longitude: number; name: string | null; address: string | null } | null;
};

/** A text has at most 4,096 characters; this leaves room for a flow's answer, and a webhook can have 4 MB. */
const MAX_CHARACTERS = 65_536;

/** Reads the content of one of `messages[]`. */
export function readContent(raw: Record<string, unknown>): InboundContent {
  const type = wordOf(raw.type) ?? "unsupported";
  const part = isRecord(raw[type]) ? raw[type] : {};
  const nothing = { text: null, payload: null, media: null, location: null };
  const content = (given: Partial<InboundContent>): InboundContent => ({ type, ...nothing, ...given });
  switch (type) {
    case "text":
      return content({ text: textOf(part.body) });
    case "button":
      return content({ text: textOf(part.text), payload: textOf(part.payload) });
    case "interactive":
      return content(readChoice(part));
    case "reaction":
      return content({ text: textOf(part.emoji) });
    case "location":
      return content({ location: readPlace(part) });
    case "order":
    case "contacts":
      return content({ payload: jsonOf(JSON.stringify(raw[type] ?? null)) });
    default:
      return content({ text: textOf(part.caption), media: readMedia(type, part) });
  }
}

const readChoice = (interactive: Record<string, unknown>): Partial<InboundContent> => {
  const { button_reply: button, list_reply: row, nfm_reply: flow } = interactive;
  if (isRecord(button)) return { type: "button", text: textOf(button.title), payload: textOf(button.id) };
  if (isRecord(row)) return { type: "list", text: textOf(row.title), payload: textOf(row.id) };
  if (isRecord(flow)) return { type: "flow", text: textOf(flow.body), payload: jsonOf(flow.response_json) };
  return {};
};

const readMedia = (type: string, part: Record<string, unknown>): InboundContent["media"] => {
  const [id, mimeType] = [idOf(part.id), wordOf(part.mime_type)];
  return id === null || mimeType === null ? null : { type, mimeType, sha256: wordOf(part.sha256), id };
};

const readPlace = ({ latitude, longitude, name, address }: Record<string, unknown>): InboundContent["location"] =>
  typeof latitude === "number" && typeof longitude === "number"
    ? { latitude, longitude, name: textOf(name), address: textOf(address) }
    : null;

const textOf = (value: unknown): string | null =>
  typeof value === "string" ? storableText(value.slice(0, MAX_CHARACTERS)) : null;

/** JSON that is cut is none. */
const jsonOf = (value: unknown): string | null =>
  typeof value === "string" && value.length <= MAX_CHARACTERS ? storableText(value) : null;
