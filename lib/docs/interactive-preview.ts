import { record } from "@/lib/core/json";
import type { PreviewButton, PreviewHeader, PreviewPart } from "@/lib/templates/preview";
import { type Run, readMarks } from "@/lib/templates/text-marks";

/** An interactive message in its full form, as its reader sees it. */
export type InteractivePreview = { main: PreviewPart; footer: string | null; cards: PreviewPart[] };

export function previewInteractive(interactive: Record<string, unknown>): InteractivePreview {
  const { cards } = record(interactive.action);
  return {
    main: partOf(interactive),
    footer: textOf(interactive.footer),
    cards: Array.isArray(cards) ? cards.map((card) => partOf(record(card))) : [],
  };
}

function partOf({ type, header, body, action }: Record<string, unknown>): PreviewPart {
  return {
    header: headerOf(record(header)),
    body: readMarks([{ text: textOf(body) ?? "" }]),
    characters: { used: 0, most: 0 },
    buttons: buttonsOf(String(type), record(action)),
  };
}

function headerOf({ type, text, ...media }: Record<string, unknown>): PreviewHeader | null {
  if (type === undefined) return null;
  if (type === "text") return { kind: "text", runs: plain(String(text)) };
  const { link } = record(media[String(type)]);
  return {
    kind: "media",
    format: type === "video" || type === "document" ? type : "image",
    source: link === undefined ? null : String(link),
  };
}

function buttonsOf(type: string, { button, buttons, parameters }: Record<string, unknown>): PreviewButton[] {
  const { display_text, url, flow_cta } = record(parameters);
  if (Array.isArray(buttons)) {
    return buttons.map((one) => {
      const { title } = record(record(one).reply ?? record(one).quick_reply);
      return { kind: "quickReply", label: String(title), target: [] };
    });
  }
  if (url !== undefined) return [{ kind: "url", label: String(display_text), target: plain(String(url)) }];
  const label = button ?? display_text ?? flow_cta ?? LABELS[type];
  if (label === undefined) return [];
  const isCall = type === "voice_call";
  return [{ kind: isCall ? "fixed" : "flow", label: String(label), target: [] }];
}

/** The labels that WhatsApp writes itself. */
const LABELS: Record<string, string> = {
  location_request_message: "Send location",
  address_message: "Provide address",
  product: "View",
  product_list: "View items",
  catalog_message: "View catalog",
  request_contact_info: "Share contact info",
  call_permission_request: "Choose preference",
};

const plain = (text: string): Run[] => [{ text, slot: null, marks: [] }];

function textOf(part: unknown): string | null {
  const { text } = record(part);
  return typeof text === "string" ? text : null;
}
