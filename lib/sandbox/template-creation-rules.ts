import { z } from "zod";
import { characterCount } from "@/lib/core/text";
import {
  type BodyFault,
  bodyFaults,
  buttonsFaults,
  ENTRIES,
  MAX_CHARACTERS,
  TEMPLATE_NAME,
} from "@/lib/whatsapp/limits";
import { findPlaceholders } from "@/lib/whatsapp/placeholders";
import { GraphError } from "./graph-error";
import { parseShape } from "./shape";

const LABELLED = new Set(["QUICK_REPLY", "URL", "PHONE_NUMBER", "FLOW"]);
const MEDIA_FORMATS = new Set(["IMAGE", "VIDEO", "DOCUMENT", "GIF"]);

/** A template as posted, with enum values in upper case. */
export type NewTemplate = z.output<typeof NewTemplate>;

/** Parses the body of `POST /{waba-id}/message_templates`; throws WhatsApp's error for its first fault. */
export function checkNewTemplate(body: unknown): NewTemplate {
  const template = parseShape(NewTemplate, body);
  const { name, category, components } = template;
  if (!TEMPLATE_NAME.test(name) || characterCount(name) > MAX_CHARACTERS.templateName)
    throw new GraphError(
      100,
      `Param name must be lower-case letters, digits and underscores, at most ${MAX_CHARACTERS.templateName}.`,
    );
  if (category === "AUTHENTICATION") {
    checkCode(components);
    return template;
  }
  checkComponents(components, MAX_CHARACTERS.body, ENTRIES.templateButtons[1]);
  if (!components.some(({ type }) => type === "BODY")) throw fault(SUBCODES.body, "A template needs a body.");
  const carousel = components.find(({ type }) => type === "CAROUSEL");
  if (carousel) checkCards(carousel.cards ?? []);
  return template;
}

/** WhatsApp writes the texts of an authentication template itself. */
function checkCode(components: readonly z.output<typeof Component>[]): void {
  const allowed = components.every(({ type }) => type === "BODY" || type === "FOOTER" || type === "BUTTONS");
  const text = components.some((component) => component.type === "BODY" && component.text !== undefined);
  if (!allowed || text)
    throw fault(SUBCODES.body, "An authentication template has a fixed body, and no header or cards.");
  const minutes = components.find(({ type }) => type === "FOOTER")?.code_expiration_minutes;
  if (minutes !== undefined && !(Number(minutes) >= 1 && Number(minutes) <= 90))
    throw fault(SUBCODES.footer, "code_expiration_minutes must be from 1 to 90.");
  const buttons = components.find(({ type }) => type === "BUTTONS")?.buttons ?? [];
  if (buttons.length !== 1 || buttons[0]?.type !== "OTP")
    throw fault(undefined, "An authentication template has one button, of type OTP.");
}

/** The error for a duplicate name and language. */
export function duplicateTemplate(name: string, language: string): GraphError {
  return fault(SUBCODES.duplicate, `There is already ${language} content for the template ${name}.`);
}

const SUBCODES = {
  duplicate: 2388024,
  tooLong: 2388040,
  header: 2388047,
  body: 2388072,
  footer: 2388073,
  ratio: 2388293,
  edgeVariable: 2388299,
} as const;

const upperCase = () => z.string().toUpperCase();

const Button = z.looseObject({
  type: upperCase(),
  text: z.string().optional(),
  url: z.string().optional(),
  phone_number: z.string().optional(),
  example: z.unknown().optional(),
});

const CardComponent = z.looseObject({
  type: upperCase(),
  format: upperCase().optional(),
  text: z.string().optional(),
  buttons: z.array(Button).optional(),
  example: z.record(z.string(), z.unknown()).optional(),
});

const Component = CardComponent.extend({
  cards: z.array(z.looseObject({ components: z.array(CardComponent) })).optional(),
});

const NewTemplate = z.looseObject({
  name: z.string(),
  language: z.string(),
  category: upperCase().pipe(z.enum(["MARKETING", "UTILITY", "AUTHENTICATION"])),
  parameter_format: upperCase()
    .pipe(z.enum(["POSITIONAL", "NAMED"]))
    .default("POSITIONAL"),
  components: z.array(Component),
});

type CardComponent = z.output<typeof CardComponent>;

function checkComponents(components: readonly CardComponent[], maxBodyCharacters: number, maxButtons: number): void {
  for (const component of components) {
    if (component.type === "HEADER") checkHeader(component);
    if (component.type === "BODY") checkBody(component, maxBodyCharacters);
    if (component.type === "FOOTER") checkFooter(component);
    if (component.type === "BUTTONS") checkButtons(component.buttons ?? [], maxButtons);
  }
}

function checkHeader({ format = "TEXT", text = "", example }: CardComponent): void {
  if (MEDIA_FORMATS.has(format)) {
    if (!example?.header_handle) throw fault(SUBCODES.header, "A media header needs an example (header_handle).");
    return;
  }
  if (format !== "TEXT") return;
  const variables = findPlaceholders(text);
  if (text.trim() === "" || variables.length > 1)
    throw fault(SUBCODES.header, "A text header needs a text with one variable at most.");
  if (characterCount(text) > MAX_CHARACTERS.headerText)
    throw fault(SUBCODES.tooLong, `The header has more than ${MAX_CHARACTERS.headerText} characters.`);
  if (variables.length > 0 && !example) throw fault(SUBCODES.header, "The variable of the header needs an example.");
}

function checkBody({ text = "", example }: CardComponent, maxCharacters: number): void {
  if (text.trim() === "") throw fault(SUBCODES.body, "The body needs a text.");
  if (characterCount(text) > maxCharacters)
    throw fault(SUBCODES.tooLong, `The body has more than ${maxCharacters} characters.`);
  const [found] = bodyFaults(text);
  if (found) throw fault(...BODY_FAULTS[found]);
  if (findPlaceholders(text).length > 0 && !example)
    throw fault(SUBCODES.body, "The variables of the body need an example.");
}

const EDGE = [SUBCODES.edgeVariable, "Variables can't be at the start or end of the template."] as const;

const BODY_FAULTS: Record<BodyFault, readonly [subcode: number, details: string]> = {
  gap: [SUBCODES.body, "Variables must be numbered {{1}}, {{2}} … without gaps."],
  leadingVariable: EDGE,
  trailingVariable: EDGE,
  adjacentVariables: [SUBCODES.body, "Two variables stand side by side."],
  tooFewWords: [SUBCODES.ratio, "This template has too many variables for its length."],
};

function checkFooter({ text = "" }: CardComponent): void {
  if (characterCount(text) > MAX_CHARACTERS.footer)
    throw fault(SUBCODES.tooLong, `The footer has more than ${MAX_CHARACTERS.footer} characters.`);
  if (findPlaceholders(text).length > 0) throw fault(SUBCODES.footer, "A footer takes no variables.");
}

function checkButtons(buttons: readonly z.output<typeof Button>[], maxButtons: number): void {
  const types = buttons.map(({ type }) => type);
  for (const found of buttonsFaults(types, maxButtons)) {
    if (found.rule === "scatteredReplies")
      throw fault(undefined, "Quick replies must stand together, before or after the other buttons.");
    const kind = found.rule === "tooMany" ? "buttons here" : `${found.type} buttons`;
    throw fault(undefined, `A template takes at most ${found.most} ${kind}.`);
  }
  for (const button of buttons) checkButton(button);
}

function checkButton({ type, text = "", url = "", phone_number: phone = "", example }: z.output<typeof Button>): void {
  if (LABELLED.has(type) && (text.trim() === "" || characterCount(text) > MAX_CHARACTERS.templateLabel))
    throw fault(undefined, `A ${type} button needs a text of 1 to ${MAX_CHARACTERS.templateLabel} characters.`);
  if (type === "COPY_CODE" && (!example || isTooLong([example].flat(), MAX_CHARACTERS.couponCode)))
    throw fault(undefined, `A COPY_CODE button needs an example of at most ${MAX_CHARACTERS.couponCode} characters.`);
  if (type === "PHONE_NUMBER" && isTooLong([phone], MAX_CHARACTERS.templatePhone))
    throw fault(undefined, `A phone number has at most ${MAX_CHARACTERS.templatePhone} characters.`);
  if (type !== "URL") return;
  if (!url.startsWith("https://") || characterCount(url) > MAX_CHARACTERS.templateUrl)
    throw fault(undefined, `A URL button needs an https URL of at most ${MAX_CHARACTERS.templateUrl} characters.`);
  if (!/^[^{}]+(\{\{1\}\})?$/.test(url))
    throw fault(undefined, "A button's URL takes one variable, {{1}}, at its very end.");
  if (findPlaceholders(url).length > 0 && !example)
    throw fault(undefined, "The variable of a button's URL needs an example.");
}

const isTooLong = (texts: unknown[], most: number): boolean =>
  texts.some((text) => characterCount(String(text)) > most);

function checkCards(cards: readonly { components: CardComponent[] }[]): void {
  const [fewest, most] = ENTRIES.cards;
  if (cards.length < fewest || cards.length > most)
    throw fault(undefined, `A carousel has ${fewest} to ${most} cards.`);
  for (const { components } of cards)
    checkComponents(components, MAX_CHARACTERS.cardBody, ENTRIES.templateCardButtons[1]);
  const kinds = cards.map(({ components }) => components.flatMap(kindsOf).join());
  if (new Set(kinds).size > 1) throw fault(undefined, "All cards of a carousel need the same kinds of components.");
}

const kindsOf = ({ type, format = "", buttons = [] }: CardComponent): string[] => [
  `${type}:${format}`,
  ...buttons.map((button) => button.type),
];

const fault = (subcode: number | undefined, details: string): GraphError =>
  new GraphError(100, details, { subcode, userTitle: "Template can't be created" });
