import { z } from "zod";
import { characterCount } from "@/lib/core/text";
import { productSections } from "@/lib/whatsapp/interactive";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { findPlaceholders, substitute } from "@/lib/whatsapp/placeholders";
import { GraphError } from "./graph-error";
import { isOneTimeCode } from "./one-time-codes";
import { parseShape } from "./shape";
import { type Layout, layoutOf, type SandboxTemplate } from "./template-layout";
import type { SentButton, SentCard, SentComponent, SentParameter, TemplateSend } from "./template-shape";

/**
 * Returns the template that a send matches, or undefined if the name is unknown and `acceptUnknown` is true.
 * Throws WhatsApp's error otherwise. If several accounts have the name, matching one of them is enough.
 */
export function matchTemplate(
  send: TemplateSend,
  sameNamed: readonly SandboxTemplate[],
  { acceptUnknown }: { acceptUnknown: boolean },
): SandboxTemplate | undefined {
  if (sameNamed.length === 0 && acceptUnknown) return undefined;
  const translations = sameNamed.filter(({ language }) => language === send.language.code);
  const approved = translations.filter(({ status }) => status === "APPROVED");
  let refusal = notApproved(send, translations[0]?.status);
  for (const template of approved) {
    try {
      checkComponents(send.components ?? [], template);
      return template;
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

function notApproved({ name, language }: TemplateSend, status: string | undefined): GraphError {
  if (status === "PAUSED") return new GraphError(132015, `template (${name}) is paused due to low quality`);
  if (status === "DISABLED") return new GraphError(132016, `template (${name}) is disabled due to low quality`);
  return new GraphError(132001, `template name (${name}) does not exist in ${language.code}`);
}

function checkComponents(sent: readonly SentComponent[], template: SandboxTemplate): void {
  const layout = layoutOf(template.components);
  const isNamed = template.parameter_format === "NAMED";
  checkParts(sent, layout, { where: "", isNamed, maxBodyCharacters: MAX_CHARACTERS.body });
  checkOffer(sent, layout);
  checkCards(sent.find((component) => component.type === "carousel")?.cards ?? [], layout.cards, isNamed);
}

type Place = { where: string; isNamed: boolean; maxBodyCharacters: number };

/** Header, body and buttons: of the message itself, or of one card. */
function checkParts(sent: readonly SentComponent[], layout: Layout, place: Place): void {
  const headers = sent.filter((component) => component.type === "header");
  const bodies = sent.filter((component) => component.type === "body");
  if (headers.length > 1 || bodies.length > 1)
    throw new GraphError(131009, `${place.where}components: a header or body component is given twice`);
  checkHeader(headers[0]?.parameters ?? [], layout, place);
  checkText("body", bodies[0]?.parameters ?? [], layout.bodyText, place.maxBodyCharacters, place);
  checkButtons(
    sent.filter((component) => component.type === "button"),
    layout,
    place,
  );
}

function checkHeader(parameters: readonly SentParameter[], { header }: Layout, place: Place): void {
  if (!header || header.format === "TEXT") {
    checkText("header", parameters, header?.text ?? "", MAX_CHARACTERS.headerText, place);
    return;
  }
  if (parameters.length > 1) throw wrongCount("header", parameters.length, 1, place);
  const received = parameters[0]?.type.toUpperCase() ?? "UNKNOWN";
  if (received !== header.format) throw wrongFormat("header", header.format, received, place);
}

function checkText(
  part: "header" | "body",
  parameters: readonly SentParameter[],
  templateText: string,
  maxCharacters: number,
  place: Place,
): void {
  const variables = findPlaceholders(templateText);
  if (parameters.length !== variables.length) throw wrongCount(part, parameters.length, variables.length, place);
  const values = new Map(
    parameters.map((parameter, position) => {
      const key = place.isNamed ? nameOf(parameter, part, variables, place) : String(position + 1);
      return [key, shownText(parameter, part, place)] as const;
    }),
  );
  if (values.size !== variables.length)
    throw new GraphError(100, `${place.where}${part}: a parameter_name is given twice`);
  const length = characterCount(substitute(templateText, values));
  if (length > maxCharacters)
    throw new GraphError(
      132005,
      `${place.where}${part}: hydrated text has ${length} characters, at most ${maxCharacters}`,
    );
}

function nameOf(parameter: SentParameter, part: string, variables: readonly string[], { where }: Place): string {
  const name = "parameter_name" in parameter ? parameter.parameter_name : undefined;
  if (!name) throw new GraphError(100, `${where}${part}: Parameter name is missing or empty`);
  if (!variables.includes(name))
    throw new GraphError(100, `${where}${part}: parameter_name (${name}) is not a variable of the template`);
  return name;
}

function shownText(parameter: SentParameter, part: string, place: Place): string {
  if (parameter.type === "text") return parameter.text;
  if (parameter.type === "currency" && part === "body") return parameter.currency.fallback_value;
  if (parameter.type === "date_time" && part === "body") return parameter.date_time.fallback_value;
  throw wrongFormat(part, "TEXT", parameter.type.toUpperCase(), place);
}

type ButtonRule = {
  /** In WhatsApp's spelling. */
  label: string;
  subType: SentButton["sub_type"];
  parameterType: SentParameter["type"];
  needsParameter: boolean;
};

const BUTTON_RULES: Record<string, ButtonRule> = {
  URL: { label: "Url", subType: "url", parameterType: "text", needsParameter: true },
  COPY_CODE: { label: "CopyCode", subType: "copy_code", parameterType: "coupon_code", needsParameter: true },
  QUICK_REPLY: { label: "QuickReply", subType: "quick_reply", parameterType: "payload", needsParameter: false },
  CATALOG: { label: "Catalog", subType: "catalog", parameterType: "action", needsParameter: false },
  MPM: { label: "Mpm", subType: "mpm", parameterType: "action", needsParameter: true },
  FLOW: { label: "Flow", subType: "flow", parameterType: "action", needsParameter: false },
};

function checkButtons(sent: readonly SentButton[], { buttons }: Layout, place: Place): void {
  for (const [position, { index }] of sent.entries()) {
    if (index >= buttons.length)
      throw new GraphError(131009, `${place.where}buttons: the template has no button at index ${index}`);
    if (sent.findIndex((other) => other.index === index) !== position)
      throw new GraphError(131009, `${place.where}buttons: Button at index ${index} is given twice`);
  }
  for (const [index, { type, url }] of buttons.entries()) {
    const given = sent.find((button) => button.index === index);
    const rule = type === "URL" && findPlaceholders(url).length === 0 ? undefined : BUTTON_RULES[type];
    const code = given?.parameters?.find((parameter) => parameter.type === "text")?.text ?? "";
    if (isOneTimeCode(url) && characterCount(code) > MAX_CHARACTERS.oneTimeCode)
      throw new GraphError(
        131009,
        `${place.where}buttons: a code has at most ${MAX_CHARACTERS.oneTimeCode} characters`,
      );
    if (rule) checkButton(given, rule, index, place);
    else if (given?.parameters?.length) throw wrongCount("buttons", given.parameters.length, 0, place);
  }
}

function checkButton(given: SentButton | undefined, rule: ButtonRule, index: number, place: Place): void {
  const name = `buttons: Button at index ${index} of type ${rule.label}`;
  const parameters = given?.parameters ?? [];
  if (parameters.length === 0 && rule.needsParameter)
    throw new GraphError(131008, `${place.where}${name} requires a parameter`);
  if (!given) return;
  if (given.sub_type !== rule.subType)
    throw new GraphError(132012, `${place.where}${name} received sub_type ${given.sub_type}`);
  if (parameters.length > 1) throw wrongCount("buttons", parameters.length, 1, place);
  const wrong = parameters.find(({ type }) => type !== rule.parameterType);
  if (wrong) throw wrongFormat("buttons", rule.parameterType.toUpperCase(), wrong.type.toUpperCase(), place);
  const [parameter] = parameters;
  if (rule.subType === "mpm" && parameter?.type === "action")
    parseShape(ProductSections, parameter.action, [`${place.where}${name}`]);
}

const ProductSections = z.strictObject({
  thumbnail_product_retailer_id: z.string().optional(),
  sections: productSections,
});

function checkOffer(sent: readonly SentComponent[], { expires }: Layout): void {
  const offer = sent.find((component) => component.type === "limited_time_offer");
  if (expires && !offer) throw new GraphError(131008, "limited_time_offer: expiration_time_ms is required");
  if (!offer) return;
  const received = offer.parameters[0]?.type;
  if (!expires || received !== "limited_time_offer")
    throw new GraphError(132012, `limited_time_offer: Format mismatch, received ${received ?? "nothing"}`);
}

function checkCards(sent: readonly SentCard[], layouts: readonly Layout[], isNamed: boolean): void {
  if (sent.length !== layouts.length)
    throw new GraphError(
      132000,
      `carousel: number of cards (${sent.length}) does not match the expected number of cards (${layouts.length})`,
    );
  for (const { card_index, components } of sent) {
    const layout = layouts[card_index];
    if (!layout) throw new GraphError(131009, `carousel: the template has no card with card_index ${card_index}`);
    const where = `carousel: card ${card_index}: `;
    checkParts(components, layout, { where, isNamed, maxBodyCharacters: MAX_CHARACTERS.cardBody });
  }
}

const wrongCount = (part: string, received: number, expected: number, { where }: Place): GraphError =>
  new GraphError(
    132000,
    `${where}${part}: number of localizable_params (${received}) does not match the expected number of params (${expected})`,
  );

const wrongFormat = (part: string, expected: string, received: string, { where }: Place): GraphError =>
  new GraphError(132012, `${where}${part}: Format mismatch, expected ${expected}, received ${received}`);
