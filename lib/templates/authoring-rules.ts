import type { Issue } from "@/lib/core/app-error";
import { characterCount } from "@/lib/core/text";
import type { DraftButton, DraftCode, DraftHeader, DraftPart, TemplateDraft } from "@/lib/whatsapp/draft";
import {
  type BodyFault,
  type ButtonsFault,
  bodyFaults,
  buttonsFaults,
  ENTRIES,
  firstGap,
  isWebAddress,
  MAX_CHARACTERS,
  TEMPLATE_NAME,
} from "@/lib/whatsapp/limits";
import { NO_CODE } from "@/lib/whatsapp/one-time-code";
import { findPlaceholders, isNumeric } from "@/lib/whatsapp/placeholders";
import { GRAPH_BUTTON_TYPES, phoneOf } from "@/lib/whatsapp/template-payload";

/** Returns every fault that WhatsApp would reject, by field path: `buttons.0.target`, `cards.1.body`. */
export function checkDraft(draft: TemplateDraft): Issue[] {
  if (draft.category === "AUTHENTICATION")
    return [...checkName(draft.name), ...checkLanguage(draft.language), ...checkCode(draft.code ?? NO_CODE)];
  return [
    ...checkName(draft.name),
    ...checkLanguage(draft.language),
    ...checkPart(draft, { at: "", maxBodyCharacters: MAX_CHARACTERS.body, isBodyNeeded: true }),
    ...checkFooter(draft.footer),
    ...checkButtons(draft.buttons, { at: "buttons", most: ENTRIES.templateButtons[1] }),
    ...checkCards(draft),
  ];
}

function checkCode({ minutes, button, packageName, signatureHash }: DraftCode): Issue[] {
  const isMinutes = minutes === "" || (/^\d{1,2}$/.test(minutes) && Number(minutes) >= 1 && Number(minutes) <= 90);
  const expiry = unless(isMinutes, "code.minutes", "From 1 to 90 minutes, or empty.");
  if (button === "copyCode") return expiry;
  const isPackage = /^[a-z]\w*(\.[a-z]\w*)+$/i.test(packageName);
  const isHash = /^[\w+/]{11}$/.test(signatureHash);
  return [
    ...expiry,
    ...unless(isPackage, "code.packageName", "The name of the Android package: com.example.shop."),
    ...unless(isHash, "code.signatureHash", "The 11 characters of the app’s signing key hash."),
  ];
}

function checkName(name: string): Issue[] {
  if (name === "") return fault("name", "A template needs a name.");
  if (!TEMPLATE_NAME.test(name))
    return fault("name", `Lower-case letters a–z, digits and underscores only: ${validName(name)}.`);
  return longerThan("name", name, MAX_CHARACTERS.templateName);
}

/** What is left of a name that is none, as one. */
function validName(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = letters.split(/[^a-z0-9]+/).filter((word) => word !== "");
  return words.join("_").slice(0, MAX_CHARACTERS.templateName) || "order_ready";
}

function checkLanguage(language: string): Issue[] {
  const isCode = /^[a-z]{2,3}(_[A-Z]{2,3})?$/.test(language);
  return unless(isCode, "language", "A WhatsApp language code: en_US, en_GB, de, pt_BR.");
}

type Place = { at: string; maxBodyCharacters: number; isBodyNeeded: boolean };

const checkPart = ({ header, body, samples }: DraftPart, place: Place): Issue[] => [
  ...checkHeader(header, `${place.at}header`),
  ...checkBody(body, samples, place),
];

function checkHeader({ kind, text, sample }: DraftHeader, at: string): Issue[] {
  if (kind === "none") return [];
  if (kind !== "text") {
    const message = `The review needs a sample: the public address of ${ARTICLES[kind]}, https://….`;
    return unless(isWebAddress(sample), `${at}.sample`, message);
  }
  if (text.trim() === "") return fault(`${at}.text`, "Write the header, or choose none.");
  const keys = findPlaceholders(text);
  if (/\n/.test(text)) return fault(`${at}.text`, "A header is one line.");
  if (keys.length > 1 || keys.some((key) => key !== "1"))
    return fault(`${at}.text`, "A header takes one variable, {{1}}.");
  const long = longerThan(`${at}.text`, text, MAX_CHARACTERS.headerText);
  if (long.length > 0) return long;
  return unless(keys.length === 0 || sample.trim() !== "", `${at}.sample`, "The review needs a sample for {{1}}.");
}

const ARTICLES = { image: "a picture (JPEG or PNG)", video: "a video (MP4)", document: "a PDF" };

function checkBody(body: string, samples: string[], { at, maxBodyCharacters, isBodyNeeded }: Place): Issue[] {
  const path = `${at}body`;
  if (body.trim() === "") return isBodyNeeded ? fault(path, "A template needs a body.") : [];
  return [...checkBodyText(body, path, maxBodyCharacters).slice(0, 1), ...checkSamples(body, samples, `${at}samples`)];
}

function checkBodyText(body: string, path: string, maxCharacters: number): Issue[] {
  const keys = findPlaceholders(body);
  const areWhole = !/\{\{(?!\s*\w+\s*\}\})|(?<!\{\{\s*\w+\s*)\}\}/.test(body);
  return [
    ...longerThan(path, body, maxCharacters),
    ...unless(areWhole, path, "A variable is written {{1}}, with nothing but its number in the braces."),
    ...unless(keys.every(isNumeric), path, "Variables are numbers here: {{1}}, {{2}}."),
    ...bodyFaults(body).flatMap((found) => fault(path, BODY_WORDS[found](keys))),
  ];
}

const BODY_WORDS: Record<BodyFault, (keys: string[]) => string> = {
  gap: (keys) => `Variables are numbered from {{1}} without a gap: {{${firstGap(keys)}}} is missing.`,
  leadingVariable: () => "A variable can’t stand at the very start: put a word before it.",
  trailingVariable: () => "A variable can’t stand at the very end: put a word or a full stop after it.",
  adjacentVariables: () => "Two variables stand side by side: put a word between them.",
  tooFewWords: ({ length }) =>
    `Too few words for ${length === 1 ? "a variable" : `${length} variables`}: WhatsApp wants more text around them.`,
};

const checkSamples = (body: string, samples: string[], at: string): Issue[] =>
  findPlaceholders(body).flatMap((key, index) =>
    unless((samples[index] ?? "").trim() !== "", `${at}.${index}`, `The review needs a sample for {{${key}}}.`),
  );

function checkFooter(footer: string): Issue[] {
  if (findPlaceholders(footer).length > 0) return fault("footer", "A footer takes no variables.");
  if (/\n/.test(footer)) return fault("footer", "A footer is one line.");
  return longerThan("footer", footer, MAX_CHARACTERS.footer);
}

const checkButtons = (buttons: DraftButton[], { at, most }: { at: string; most: number }): Issue[] => [
  ...buttonsFaults(
    buttons.map(({ kind }) => GRAPH_BUTTON_TYPES[kind]),
    most,
  ).flatMap((found) => fault(at, buttonsWords(found))),
  ...buttons.flatMap((button, index) => checkButton(button, `${at}.${index}`)),
];

function buttonsWords(found: ButtonsFault): string {
  if (found.rule === "scatteredReplies") return "Quick replies stand together, before or after the other buttons.";
  if (found.rule === "tooMany") return `${found.most} buttons at most here.`;
  return `${found.most} ${TYPE_WORDS[found.type] ?? "buttons of this kind"} at most.`;
}

const TYPE_WORDS: Partial<Record<string, string>> = {
  QUICK_REPLY: "quick replies",
  URL: "link buttons",
  PHONE_NUMBER: "call buttons",
  COPY_CODE: "copy-code buttons",
};

function checkButton({ kind, label, target, sample }: DraftButton, at: string): Issue[] {
  if (kind === "copyCode") {
    if (sample.trim() === "") return fault(`${at}.sample`, "The review needs a sample of the code.");
    return longerThan(`${at}.sample`, sample, MAX_CHARACTERS.couponCode);
  }
  const labelFaults = checkLabel(label, `${at}.label`);
  if (kind === "phone") {
    const number = phoneOf(target);
    const isPhone = /^\+?\d{6,}$/.test(number) && number.length <= MAX_CHARACTERS.templatePhone;
    return [...labelFaults, ...unless(isPhone, `${at}.target`, "A phone number with its country code: +442079460123.")];
  }
  return kind === "url" ? [...labelFaults, ...checkUrl({ target, sample }, at)] : labelFaults;
}

function checkLabel(label: string, at: string): Issue[] {
  if (label.trim() === "") return fault(at, "A button needs a label.");
  if (findPlaceholders(label).length > 0) return fault(at, "A label takes no variables.");
  if (/https?:\/\//i.test(label)) return fault(at, "The label is what people read; the URL has a field of its own.");
  return longerThan(at, label, MAX_CHARACTERS.templateLabel);
}

function checkUrl({ target, sample }: Pick<DraftButton, "target" | "sample">, at: string): Issue[] {
  const path = `${at}.target`;
  const keys = Array.from(target.matchAll(/\{\{\s*(\w*)\s*\}\}/g), ([, key = ""]) => key);
  if (target === "") return fault(path, "A link button needs a URL.");
  if (target !== target.trim()) return fault(path, "Remove the space at the start or end of the URL.");
  if (/\s/.test(target)) return fault(path, "A URL has no spaces.");
  if (!target.startsWith("https://")) return fault(path, "The URL begins with https://.");
  if (keys.length > 1) return fault(path, "A URL takes exactly one variable.");
  if (keys.length === 1 && keys[0] !== "1")
    return fault(path, "The variable of a URL is always {{1}}, whatever the body’s are.");
  if (keys.length === 1 && !target.endsWith("{{1}}"))
    return fault(path, "The variable {{1}} stands at the very end of the URL.");
  const base = target.replace(/\{\{1\}\}$/, "");
  if (/[{}]/.test(base) || !URL.canParse(base) || !new URL(base).hostname.includes(".")) {
    return fault(path, "This is not the address of a site: https://shop.example/orders/{{1}}.");
  }
  const long = longerThan(path, target, MAX_CHARACTERS.templateUrl);
  if (long.length > 0 || keys.length === 0) return long;
  if (sample.trim() === "") return fault(`${at}.sample`, "The review needs a sample of what replaces {{1}}.");
  const isSuffix = !/^https?:|\s/i.test(sample);
  return unless(isSuffix, `${at}.sample`, "Only what replaces {{1}}, without spaces: not the whole URL.");
}

function checkCards({ cards, header, buttons, footer }: TemplateDraft): Issue[] {
  const [first] = cards;
  const [fewest, most] = ENTRIES.cards;
  if (!first) return [];
  return [
    ...unless(cards.length >= fewest, "cards", `A carousel has ${fewest} to ${most} cards: add one.`),
    ...unless(cards.length <= most, "cards", `A carousel has ${most} cards at most.`),
    ...unless(header.kind === "none", "header.kind", "A carousel has its headers on the cards: choose none here."),
    ...unless(buttons.length === 0, "buttons", "A carousel has its buttons on the cards: remove these."),
    ...unless(footer === "", "footer", "A carousel has no footer: leave it empty."),
    ...cards.flatMap((card, index) => checkCard(card, index, first)),
  ];
}

function checkCard(card: DraftPart, index: number, first: DraftPart): Issue[] {
  const at = `cards.${index}.`;
  const isMedia = card.header.kind === "image" || card.header.kind === "video";
  return [
    ...unless(isMedia, `${at}header.kind`, "Every card has a picture or a video."),
    ...checkPart(card, { at, maxBodyCharacters: MAX_CHARACTERS.cardBody, isBodyNeeded: false }),
    ...unless(card.buttons.length > 0, `${at}buttons`, "A card has one or two buttons."),
    ...checkButtons(card.buttons, { at: `${at}buttons`, most: ENTRIES.templateCardButtons[1] }),
    ...unless(shapeOf(card) === shapeOf(first), `${at}shape`, SAME_SHAPE),
  ];
}

const SAME_SHAPE = "All cards have the same shape as the first: kind of header, with or without a body, same buttons.";

const shapeOf = ({ header, body, buttons }: DraftPart): string =>
  [header.kind, body.trim() === "" ? "" : "body", ...buttons.map(({ kind }) => kind)].join();

const fault = (path: string, message: string): Issue[] => [{ path, message }];

const unless = (isMet: boolean, path: string, message: string): Issue[] => (isMet ? [] : fault(path, message));

function longerThan(path: string, text: string, most: number): Issue[] {
  const count = characterCount(text);
  return unless(count <= most, path, `${count} characters; WhatsApp allows ${most}.`);
}
