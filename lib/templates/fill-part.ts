import type { Issue } from "@/lib/core/app-error";
import { quote, shorten } from "@/lib/core/text";
import { BROKEN_LINE, isWebAddress, MAX_CHARACTERS, MEDIA_ID } from "@/lib/whatsapp/limits";
import type { CardComponent, HeaderParameter, MediaFormat, TextParameter } from "@/lib/whatsapp/message-payload";
import { substitute, textAround } from "@/lib/whatsapp/placeholders";
import type { SlottedText, TemplateButton, TemplateHeader, TemplatePart } from "./definition";
import { checkFilledLength, checkLength, checkParameterLengths } from "./lengths";
import { COPY_CODE, PRODUCT } from "./variable-keys";

/** The caller's value for a slot, if any, and the field path where it belongs. */
export type GivenValue = { path: string; text: string | undefined };

/** The values of a template, or of one of its cards. */
export type PartSource = {
  kind: "main" | "card";
  /** `body` or `card 0 body`, as the public template record names a place. */
  nameOf: (place: string) => string;
  isNamed: boolean;
  headerText: (key: string) => GivenValue;
  /** `structuredPath`: where to add the missing header of a structured card. */
  headerMedia: { link: GivenValue; id: GivenValue; structuredPath?: string };
  body: (key: string) => GivenValue;
  /** `key` is null for a button that only `buttonValues` can fill. */
  button: (index: number, key: string | null) => GivenValue;
};

/** A slot without its required value. */
export type Gap = { path: string; key: string; place: string };

/** Collected while filling; the components are valid only if both lists are empty. */
export type Faults = { gaps: Gap[]; issues: Issue[] };

/** Builds the components of a template without its cards, or of one card. Collects faults instead of throwing. */
export function fillPart(part: TemplatePart, source: PartSource, faults: Faults): CardComponent[] {
  return [
    ...fillHeader(part.header, source, faults),
    ...fillBody(part.body, source, faults),
    ...part.buttons.flatMap((button) => fillButton(button, source, faults)),
  ];
}

function fillHeader(header: TemplateHeader | null, source: PartSource, faults: Faults): CardComponent[] {
  if (header?.kind === "media") {
    const parameter = mediaParameter(header.format, source, faults);
    return parameter ? [{ type: "header", parameter }] : [];
  }
  if (header?.kind !== "text") return [];
  const parameters = textParameters(header, "header", source, faults);
  checkFilled(header, { givenFor: source.headerText, kind: "header" }, faults);
  return parameters.map((parameter) => ({ type: "header", parameter: { kind: "text", parameter } }));
}

function fillBody(body: SlottedText | null, source: PartSource, faults: Faults): CardComponent[] {
  if (!body || body.slots.length === 0) return [];
  const parameters = textParameters(body, "body", source, faults);
  checkFilled(body, { givenFor: source.body, kind: source.kind === "main" ? "body" : "card body" }, faults);
  return [{ type: "body", parameters }];
}

type FilledText = { givenFor: (key: string) => GivenValue; kind: Parameters<typeof checkFilledLength>[1] };

function checkFilled({ text, slots }: SlottedText, { givenFor, kind }: FilledText, faults: Faults): void {
  const givenValues = slots.map(({ key }) => ({ key, ...givenFor(key) }));
  const values = new Map(givenValues.flatMap((given) => (given.text === undefined ? [] : [[given.key, given.text]])));
  // Report the longest value as the one to shorten.
  const [longest] = givenValues.sort((a, b) => (b.text?.length ?? 0) - (a.text?.length ?? 0));
  if (longest) faults.issues.push(...checkFilledLength({ path: longest.path, text: substitute(text, values) }, kind));
}

function fillButton(button: TemplateButton, source: PartSource, faults: Faults): CardComponent[] {
  const { index } = button;
  switch (button.kind) {
    case "url": {
      const given = source.button(index, button.slot.key);
      const place = source.nameOf(`button ${index} url`) + (button.url ? ` (${shorten(button.url, 60)})` : "");
      const suffix = takeValue(given, { key: button.slot.key, place }, faults);
      const limit = button.isOneTimeCode ? checkLength({ ...given, text: suffix }, MAX_CHARACTERS.oneTimeCode) : [];
      faults.issues.push(...limit, ...checkSuffix(given.path, suffix, button.url));
      return [{ type: "button", index, parameter: { kind: "url", suffix } }];
    }
    case "copyCode": {
      const given = source.button(index, COPY_CODE);
      const code = takeValue(given, { key: COPY_CODE, place: source.nameOf(`button ${index} copy code`) }, faults);
      faults.issues.push(...checkLength({ ...given, text: code }, MAX_CHARACTERS.couponCode));
      return [{ type: "button", index, parameter: { kind: "copyCode", code } }];
    }
    case "catalog":
    case "multiProduct": {
      const { text: productRetailerId, path } = source.button(index, PRODUCT);
      if (productRetailerId === undefined) {
        if (button.kind === "multiProduct") faults.issues.push(noProducts(path, source.nameOf(`button ${index}`)));
        return [];
      }
      faults.issues.push(...checkValue(path, productRetailerId));
      return [{ type: "button", index, parameter: { kind: button.kind, productRetailerId } }];
    }
    case "quickReply": {
      const { text: payload, path } = source.button(index, null);
      if (payload === undefined) return [];
      faults.issues.push(...checkNotEmpty(path, payload));
      return [{ type: "button", index, parameter: { kind: "quickReply", payload } }];
    }
    case "flow":
      return [{ type: "button", index, parameter: { kind: "flow" } }];
    case "singleProduct":
    case "fixed":
      return [];
  }
}

const noProducts = (path: string, place: string): Issue => ({
  path,
  message: `The products of ${place} are missing. Add the id of one product here, or send sections of several as \`templateComponents\`.`,
});

const textParameters = (
  { text, slots }: SlottedText,
  place: "header" | "body",
  source: PartSource,
  faults: Faults,
): TextParameter[] =>
  slots.map(({ key }) => {
    const given = place === "header" ? source.headerText(key) : source.body(key);
    // The text around it is for a gap alone, and would take a third of the time of filling.
    const around = given.text === undefined ? textAround(text, key) : "";
    const value = takeValue(given, { key, place: `{{${key}}} of ${source.nameOf(place)} ("${around}")` }, faults);
    return source.isNamed ? { text: value, name: key } : { text: value };
  });

/** Returns the checked value. If it is missing, records a gap and returns an empty placeholder. */
function takeValue(given: GivenValue, place: { key: string; place: string }, faults: Faults): string {
  if (given.text === undefined) {
    faults.gaps.push({ path: given.path, ...place });
    return "";
  }
  faults.issues.push(...checkValue(given.path, given.text));
  faults.issues.push(...checkParameterLengths([{ path: given.path, text: given.text }]));
  return given.text;
}

const checkNotEmpty = (path: string, text: string): Issue[] =>
  text.trim() === ""
    ? [{ path, message: "The value is empty, and WhatsApp refuses empty values. Send the text to show." }]
    : [];

function checkValue(path: string, text: string): Issue[] {
  if (text.trim() === "") return checkNotEmpty(path, text);
  if (BROKEN_LINE.test(text)) {
    const message = `${quote(text)} has a line break, a tab or more than four spaces in a row, which WhatsApp refuses in templates. Remove them.`;
    return [{ path, message }];
  }
  return [];
}

function checkSuffix(path: string, value: string, url: string | null): Issue[] {
  const base = url?.slice(0, url.indexOf("{{")) ?? "";
  const bareBase = base.replace(/^https?:\/\//i, "");
  const isWhole = /^\s*https?:\/\//i.test(value) || (bareBase !== "" && value.startsWith(bareBase));
  if (!isWhole) return [];
  const address = shorten(base, 80);
  const message = `${quote(value)} is a full URL. The template adds ${address || "the address"} itself: send only the suffix, ${quote(suffixOf(value.trim(), bareBase))}.`;
  return [{ path, message }];
}

function suffixOf(value: string, bareBase: string): string {
  const bareValue = value.replace(/^https?:\/\//i, "");
  if (bareBase !== "" && bareValue.startsWith(bareBase)) return bareValue.slice(bareBase.length);
  return bareValue.slice(bareValue.indexOf("/") + 1);
}

function mediaParameter(format: MediaFormat, source: PartSource, faults: Faults): HeaderParameter | null {
  const { link, id, structuredPath } = source.headerMedia;
  if (link.text !== undefined && id.text !== undefined) {
    const message = `\`${link.path}\` and \`${id.path}\` are both given, and a header takes one. Keep the link, or the media id.`;
    faults.issues.push({ path: id.path, message });
    return null;
  }
  if (id.text !== undefined) {
    faults.issues.push(...checkMediaId(id.path, id.text, link.path));
    return { kind: "media", format, whatsappMediaId: id.text };
  }
  if (link.text !== undefined) {
    faults.issues.push(...checkLink(link.path, link.text));
    return { kind: "link", format, link: link.text, field: link.path };
  }
  faults.issues.push(
    structuredPath === undefined
      ? {
          path: link.path,
          message: `is required. Add the public URL of the ${format} for ${source.nameOf("header")}, or a WhatsApp media id in \`${id.path}\`.`,
        }
      : {
          path: structuredPath,
          message: `The ${format} of the card is required. Add \`header\`, { "format": "${format}", "link": "https://…" } or with "id", or put its public URL into \`${link.path}\`.`,
        },
  );
  return null;
}

function checkMediaId(path: string, id: string, linkPath: string): Issue[] {
  if (MEDIA_ID.test(id)) return [];
  const message = `${quote(id)} is not a WhatsApp media id, which is digits only: WhatsApp refuses internal media handles. Send a public URL in \`${linkPath}\` instead.`;
  return [{ path, message }];
}

function checkLink(path: string, link: string): Issue[] {
  if (isWebAddress(link)) return [];
  return [
    { path, message: `${quote(link)} is not a public URL. Send an address that begins with https:// or http://.` },
  ];
}
