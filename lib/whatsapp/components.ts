/** The filled-in parts of a template send, in our own format. */

export type MediaFormat = "image" | "video" | "document";

export type TextParameter = {
  text: string;
  /** Set only for templates with named parameters. */
  name?: string;
};

export type HeaderParameter =
  | { kind: "text"; parameter: TextParameter }
  /** `fileName` is set only for an uploaded document. */
  | { kind: "media"; format: MediaFormat; whatsappMediaId: string; fileName?: string | null }
  /** A public URL, replaced by a media id before the send. `field` is its path in the request. */
  | { kind: "link"; format: MediaFormat; link: string; field: string }
  | { kind: "location"; latitude: string; longitude: string; name: string; address: string }
  | { kind: "product"; productRetailerId: string; catalogId: string };

export type ButtonParameter =
  | { kind: "url"; suffix: string }
  | { kind: "quickReply"; payload: string }
  | { kind: "copyCode"; code: string }
  | { kind: "catalog"; productRetailerId: string }
  | { kind: "multiProduct"; productRetailerId: string }
  | { kind: "flow" };

export type CardComponent =
  | { type: "header"; parameter: HeaderParameter }
  | { type: "body"; parameters: TextParameter[] }
  /** Only on the message itself, not on a card. */
  | { type: "limitedTimeOffer"; expiresAtMs: number }
  /** `index` is the button's position among the template's (or card's) buttons, from 0. */
  | { type: "button"; index: number; parameter: ButtonParameter };

export type TemplateComponent =
  | CardComponent
  | { type: "carousel"; cards: { index: number; components: CardComponent[] }[] };
