import { z } from "zod";
import { GraphError } from "./graph-error";
import { characters, parseShape } from "./shape";
import { variablesOf } from "./template-layout";

const MAX_NAME_CHARACTERS = 512;
const MAX_BODY_CHARACTERS = 1024;
const MAX_CARD_BODY_CHARACTERS = 160;
const MAX_LINE_CHARACTERS = 60;
const MAX_BUTTONS = 10;
const MAX_CARD_BUTTONS = 2;
const MAX_BUTTON_TEXT_CHARACTERS = 25;
const MAX_URL_CHARACTERS = 2000;

const MAX_OF_TYPE: Record<string, number> = {
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  OTP: 1,
  CATALOG: 1,
  MPM: 1,
  FLOW: 1,
};
const LABELLED = new Set(["QUICK_REPLY", "URL", "PHONE_NUMBER", "FLOW"]);
const MEDIA_FORMATS = new Set(["IMAGE", "VIDEO", "DOCUMENT", "GIF"]);

/** A template as its author posts it, its words in upper case. */
export type NewTemplate = z.output<typeof NewTemplate>;

/** Reads the body of `POST /{waba-id}/message_templates`; throws the platform's refusal of its first fault. */
export const checkNewTemplate = (body: unknown): NewTemplate => {
  const template = parseShape(NewTemplate, body);
  const { name, category, components } = template;
  if (!/^[a-z0-9_]+$/.test(name) || characters(name) > MAX_NAME_CHARACTERS)
    throw new GraphError(
      100,
      `Param name must be lower-case letters, digits and underscores, at most ${MAX_NAME_CHARACTERS}.`,
    );
  if (category === "AUTHENTICATION") return template;
  checkComponents(components, MAX_BODY_CHARACTERS, MAX_BUTTONS);
  if (!components.some(({ type }) => type === "BODY")) throw fault(SUBCODES.body, "A template needs a body.");
  const carousel = components.find(({ type }) => type === "CAROUSEL");
  if (carousel) checkCards(carousel.cards ?? []);
  return template;
};

/** The second template of one name and language. */
export const duplicateTemplate = (name: string, language: string): GraphError =>
  fault(SUBCODES.duplicate, `There is already ${language} content for the template ${name}.`);

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

const checkComponents = (components: readonly CardComponent[], maxBodyCharacters: number, maxButtons: number): void => {
  for (const component of components) {
    if (component.type === "HEADER") checkHeader(component);
    if (component.type === "BODY") checkBody(component, maxBodyCharacters);
    if (component.type === "FOOTER") checkFooter(component);
    if (component.type === "BUTTONS") checkButtons(component.buttons ?? [], maxButtons);
  }
};

const checkHeader = ({ format = "TEXT", text = "", example }: CardComponent): void => {
  if (MEDIA_FORMATS.has(format)) {
    if (!example?.header_handle) throw fault(SUBCODES.header, "A media header needs an example (header_handle).");
    return;
  }
  if (format !== "TEXT") return;
  const variables = variablesOf(text);
  if (text.trim() === "" || variables.length > 1)
    throw fault(SUBCODES.header, "A text header needs a text with one variable at most.");
  if (characters(text) > MAX_LINE_CHARACTERS)
    throw fault(SUBCODES.tooLong, `The header has more than ${MAX_LINE_CHARACTERS} characters.`);
  if (variables.length > 0 && !example) throw fault(SUBCODES.header, "The variable of the header needs an example.");
};

const checkBody = ({ text = "", example }: CardComponent, maxCharacters: number): void => {
  if (text.trim() === "") throw fault(SUBCODES.body, "The body needs a text.");
  if (characters(text) > maxCharacters)
    throw fault(SUBCODES.tooLong, `The body has more than ${maxCharacters} characters.`);
  const variables = variablesOf(text);
  if (variables.length === 0) return;
  if (/^\s*\{\{|\}\}\s*$/.test(text))
    throw fault(SUBCODES.edgeVariable, "Variables can't be at the start or end of the template.");
  if (/\}\}\s*\{\{/.test(text)) throw fault(SUBCODES.body, "Two variables stand side by side.");
  if (hasGap(variables)) throw fault(SUBCODES.body, "Variables must be numbered {{1}}, {{2}} … without gaps.");
  if (text.trim().split(/\s+/).length < 2 * variables.length + 1)
    throw fault(SUBCODES.ratio, "This template has too many variables for its length.");
  if (!example) throw fault(SUBCODES.body, "The variables of the body need an example.");
};

/** Names have no order, numbers run from 1. */
const hasGap = (variables: readonly string[]): boolean => {
  const numbers = variables.filter((variable) => /^\d+$/.test(variable)).map(Number);
  return numbers.length > 0 && Math.max(...numbers) !== variables.length;
};

const checkFooter = ({ text = "" }: CardComponent): void => {
  if (characters(text) > MAX_LINE_CHARACTERS)
    throw fault(SUBCODES.tooLong, `The footer has more than ${MAX_LINE_CHARACTERS} characters.`);
  if (variablesOf(text).length > 0) throw fault(SUBCODES.footer, "A footer takes no variables.");
};

const checkButtons = (buttons: readonly z.output<typeof Button>[], maxButtons: number): void => {
  if (buttons.length > maxButtons) throw fault(undefined, `A template takes at most ${maxButtons} buttons here.`);
  for (const [type, most] of Object.entries(MAX_OF_TYPE))
    if (buttons.filter((button) => button.type === type).length > most)
      throw fault(undefined, `A template takes at most ${most} ${type} buttons.`);
  const groups = buttons.filter(
    ({ type }, index) => (type === "QUICK_REPLY") !== (buttons[index - 1]?.type === "QUICK_REPLY") || index === 0,
  );
  if (groups.length > 2)
    throw fault(undefined, "Quick replies must stand together, before or after the other buttons.");
  for (const button of buttons) checkButton(button);
};

const checkButton = ({ type, text = "", url = "", example }: z.output<typeof Button>): void => {
  if (LABELLED.has(type) && (text.trim() === "" || characters(text) > MAX_BUTTON_TEXT_CHARACTERS))
    throw fault(undefined, `A ${type} button needs a text of 1 to ${MAX_BUTTON_TEXT_CHARACTERS} characters.`);
  if (type === "COPY_CODE" && !example) throw fault(undefined, "A COPY_CODE button needs an example.");
  if (type !== "URL") return;
  if (!url.startsWith("https://") || characters(url) > MAX_URL_CHARACTERS)
    throw fault(undefined, `A URL button needs an https URL of at most ${MAX_URL_CHARACTERS} characters.`);
  if (!/^[^{}]+(\{\{1\}\})?$/.test(url))
    throw fault(undefined, "A button's URL takes one variable, {{1}}, at its very end.");
  if (variablesOf(url).length > 0 && !example)
    throw fault(undefined, "The variable of a button's URL needs an example.");
};

const checkCards = (cards: readonly { components: CardComponent[] }[]): void => {
  if (cards.length < 2 || cards.length > 10) throw fault(undefined, "A carousel has 2 to 10 cards.");
  for (const { components } of cards) checkComponents(components, MAX_CARD_BODY_CHARACTERS, MAX_CARD_BUTTONS);
  const kinds = cards.map(({ components }) => components.flatMap(kindsOf).join());
  if (new Set(kinds).size > 1) throw fault(undefined, "All cards of a carousel need the same kinds of components.");
};

const kindsOf = ({ type, format = "", buttons = [] }: CardComponent): string[] => [
  `${type}:${format}`,
  ...buttons.map((button) => button.type),
];

const fault = (subcode: number | undefined, details: string): GraphError =>
  new GraphError(100, details, {
    ...(subcode === undefined ? {} : { subcode }),
    userTitle: "Template can't be created",
  });
