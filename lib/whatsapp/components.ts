/** The filled-in parts of a template send, in our words. */

export type MediaFormat = "image" | "video" | "document";

export type TextParameter = {
  text: string;
  /** Set for templates with named parameters only. */
  name?: string;
};

export type HeaderParameter =
  | { kind: "text"; parameter: TextParameter }
  /** `fileName` is known of an uploaded document only. */
  | { kind: "media"; format: MediaFormat; whatsappMediaId: string; fileName?: string | null }
  /** A public address; becomes a media id before anything is sent. `field` is the caller's name of it. */
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
  /** Of the message itself only. */
  | { type: "limitedTimeOffer"; expiresAtMs: number }
  /** `index` is the button's place among the template's (or card's) buttons, from 0. */
  | { type: "button"; index: number; parameter: ButtonParameter };

export type TemplateComponent =
  | CardComponent
  | { type: "carousel"; cards: { index: number; components: CardComponent[] }[] };
