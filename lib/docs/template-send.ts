import type { TemplateDefinition, TemplatePart } from "@/lib/templates/definition";
import { fillTemplate } from "@/lib/templates/fill";
import { sampleComponents } from "@/lib/templates/sample-components";
import {
  COPY_CODE,
  cardKey,
  componentOnlyPlaces,
  HEADER_ID,
  HEADER_LINK,
  PRODUCT,
  readCardKey,
} from "@/lib/templates/variable-keys";
import { toGraphComponents } from "@/lib/whatsapp/message-payload";

/** The three ways to fill a template; a send uses one. */
export const SEND_FORMS = { variables: "Variables", components: "Components", carousel: "Carousel" } as const;
export type SendForm = keyof typeof SEND_FORMS;

type TemplateSend = {
  definition: TemplateDefinition;
  /** Complete values by the keys of `templateVariables`. */
  values: ReadonlyMap<string, string>;
  /** Of keys that a link shares with the body: what the link takes, where it is not the body's value. */
  linkValues?: ReadonlyMap<string, string>;
  phone: string;
};

/** Returns the forms that can fill the whole template: only `components` if strings cannot. */
export function formsOf(definition: TemplateDefinition): SendForm[] {
  const { cards } = definition;
  if ([definition, ...cards].some((part) => componentOnlyPlaces(part).length > 0)) return ["components"];
  return cards.length > 0 ? ["variables", "components", "carousel"] : ["variables", "components"];
}

/** Builds the body of a template send. Throws the API's error for invalid values. */
export function templateSendBody(send: TemplateSend, form: SendForm): Record<string, unknown> {
  const { definition, phone } = send;
  return {
    type: "template",
    phone,
    templateName: definition.name,
    templateLanguage: definition.language,
    ...templateFilling(send, form),
  };
}

/** The fields of the send that fill the template. */
export function templateFilling(
  { definition, values, linkValues = new Map() }: Omit<TemplateSend, "phone">,
  form: SendForm,
): Record<string, unknown> {
  const bodyValues = [...values].filter(([key]) => linkValues.has(key));
  const simple = {
    templateVariables: Object.fromEntries([...values, ...linkValues]),
    ...(bodyValues.length > 0 ? { bodyParameters: Object.fromEntries(bodyValues) } : {}),
  };
  if (form !== "components") fillTemplate(definition, simple);
  switch (form) {
    case "variables":
      return simple;
    case "components": {
      const components = sampleComponents(definition, simple);
      return { templateComponents: toGraphComponents(components, { links: "kept" }) };
    }
    case "carousel": {
      const ofMessage = [...values].filter(([key]) => definition.cards.length === 0 || !readCardKey(key));
      return {
        ...(ofMessage.length > 0 ? { templateVariables: Object.fromEntries(ofMessage) } : {}),
        carousel: { cards: definition.cards.map((card, index) => cardOf(card, index, values)) },
      };
    }
  }
}

function cardOf(card: TemplatePart, index: number, values: ReadonlyMap<string, string>) {
  const value = (key: string) => values.get(cardKey(index, key));
  const buttonValues = buttonsOf(card, value);
  const slots = card.body?.slots ?? [];
  return {
    index,
    ...headerOf(card, value),
    ...(slots.length > 0 ? { bodyValues: Object.fromEntries(slots.map(({ key }) => [key, value(key)])) } : {}),
    ...(buttonValues.length > 0 ? { buttonValues } : {}),
  };
}

type Value = (key: string) => string | undefined;

function headerOf({ header }: TemplatePart, value: Value) {
  if (header?.kind !== "media") return {};
  const id = value(HEADER_ID);
  const source = id === undefined ? { link: value(HEADER_LINK) } : { id };
  return { header: { format: header.format, ...source } };
}

const buttonsOf = ({ buttons }: TemplatePart, value: Value) =>
  buttons.flatMap((button) => {
    const [subType, text] =
      button.kind === "url"
        ? ["url", value(button.slot.key)]
        : button.kind === "copyCode"
          ? ["copy_code", value(COPY_CODE)]
          : button.kind === "catalog" || button.kind === "multiProduct"
            ? [button.kind === "catalog" ? "catalog" : "mpm", value(PRODUCT)]
            : ["", undefined];
    return text === undefined ? [] : [{ index: button.index, sub_type: subType, parameters: { type: "text", text } }];
  });
