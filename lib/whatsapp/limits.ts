import { findPlaceholders, isNumeric } from "./placeholders";

/**
 * WhatsApp's limits. No zod here: the template editor imports them in the browser. Texts are counted in Unicode
 * code points, lists in entries.
 */
export const MAX_CHARACTERS = {
  text: 4_096,
  caption: 1_024,
  contactName: 1_024,
  callbackData: 512,
  messageId: 512,
  headerText: 60,
  body: 1_024,
  listBody: 4_096,
  footer: 60,
  /** For reply, list, link and quick-reply buttons. */
  buttonTitle: 20,
  buttonId: 256,
  flowButton: 30,
  sectionTitle: 24,
  rowId: 200,
  rowTitle: 24,
  rowDescription: 72,
  cardBody: 160,
  templateName: 512,
  templateLabel: 25,
  templateUrl: 2_000,
  templatePhone: 20,
  couponCode: 15,
  oneTimeCode: 15,
  callbackAddress: 200,
} as const;

/** Minimum and maximum entries of each list. */
export const ENTRIES = {
  buttons: [1, 3],
  sections: [1, 10],
  /** Of one list and of all together, like `products`. */
  rows: [1, 10],
  products: [1, 30],
  cards: [2, 10],
  quickReplies: [1, 10],
  contacts: [1, 257],
  templateButtons: [1, 10],
  templateCardButtons: [1, 2],
} as const;

/** The highest index of a card, and of a template's button; the first is 0. */
export const MAX_INDEX = 9;
export const MAX_CARD_LINE_BREAKS = 2;

/** How many buttons of a type a template may have. */
export const MAX_TEMPLATE_BUTTONS = {
  QUICK_REPLY: 10,
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  OTP: 1,
  CATALOG: 1,
  MPM: 1,
  FLOW: 1,
} as const;

/** Of templates; it decides the price. */
export const CATEGORIES = ["UTILITY", "MARKETING", "AUTHENTICATION"] as const;
export type Category = (typeof CATEGORIES)[number];
export const TEMPLATE_NAME = /^[a-z0-9_]+$/;
export const MEDIA_ID = /^\d+$/;
/** Not allowed in the value of a template variable. */
export const BROKEN_LINE = /[\r\n\t]| {5}/;

/** An absolute http(s) URL. The URL parser alone would skip white space, which WhatsApp does not. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

const office = (kind: string) => `application/vnd.openxmlformats-officedocument.${kind}`;

/** The MIME types of each kind of media, and the largest file. */
export const MEDIA = {
  image: { mimeTypes: ["image/jpeg", "image/png"], maxMebibytes: 5 },
  video: { mimeTypes: ["video/mp4", "video/3gpp"], maxMebibytes: 16 },
  audio: { mimeTypes: ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"], maxMebibytes: 16 },
  document: {
    mimeTypes: [
      "text/plain",
      "application/pdf",
      "application/msword",
      "application/vnd.ms-excel",
      "application/vnd.ms-powerpoint",
      office("wordprocessingml.document"),
      office("spreadsheetml.sheet"),
      office("presentationml.presentation"),
    ],
    maxMebibytes: 100,
  },
  sticker: { mimeTypes: ["image/webp"], maxMebibytes: 500 / 1024 },
} as const;

export type BodyFault = "gap" | "leadingVariable" | "trailingVariable" | "adjacentVariables" | "tooFewWords";

/** Checks a body's variables against WhatsApp's rules, in the order of reporting. */
export function bodyFaults(body: string): BodyFault[] {
  const keys = findPlaceholders(body);
  if (keys.length === 0) return [];
  const words = body.trim().split(/\s+/).length;
  return [
    ...(firstGap(keys) === undefined ? [] : (["gap"] as const)),
    ...(/^\s*\{\{/.test(body) ? (["leadingVariable"] as const) : []),
    ...(/\}\}\s*$/.test(body) ? (["trailingVariable"] as const) : []),
    ...(/\}\}\s*\{\{/.test(body) ? (["adjacentVariables"] as const) : []),
    ...(words < 2 * keys.length + 1 ? (["tooFewWords"] as const) : []),
  ];
}

/** Returns the first missing number among a body's keys. Names have no order, and cannot be mixed with numbers. */
export function firstGap(keys: string[]): number | undefined {
  if (!keys.some(isNumeric)) return undefined;
  const place = keys.findIndex((key, index) => key !== String(index + 1));
  return place < 0 ? undefined : place + 1;
}

export type ButtonsFault =
  | { rule: "tooMany"; most: number }
  | { rule: "tooManyOfType"; type: keyof typeof MAX_TEMPLATE_BUTTONS; most: number }
  | { rule: "scatteredReplies" };

/** Returns what WhatsApp refuses about the buttons of a template or card, by their types. */
export function buttonsFaults(types: readonly string[], most: number): ButtonsFault[] {
  const isReply = types.map((type) => type === "QUICK_REPLY");
  const turns = isReply.filter((is, index) => index > 0 && is !== isReply[index - 1]).length;
  return [
    ...(types.length > most ? [{ rule: "tooMany", most } as const] : []),
    ...BUTTON_TYPES.filter((type) => types.filter((one) => one === type).length > MAX_TEMPLATE_BUTTONS[type]).map(
      (type) => ({ rule: "tooManyOfType", type, most: MAX_TEMPLATE_BUTTONS[type] }) as const,
    ),
    ...(turns > 1 ? [{ rule: "scatteredReplies" } as const] : []),
  ];
}

const BUTTON_TYPES = Object.keys(MAX_TEMPLATE_BUTTONS) as (keyof typeof MAX_TEMPLATE_BUTTONS)[];
