import type { SendContent, SendRequest } from "@/lib/messages/send-request";
import type { CarouselCard } from "@/lib/templates/carousel";

/** Converts a stored request back to an API body, which parses to the same request. */
export function toSendBody({ content, revalidateFlowSession, ...to }: SendRequest): Record<string, unknown> {
  return {
    ...to,
    ...(revalidateFlowSession ? { revalidateFlowSession } : {}),
    ...contentFields(content),
  };
}

function contentFields(content: SendContent): Record<string, unknown> {
  switch (content.type) {
    case "text":
      return { type: "text", content: content.text };
    case "interactive":
      return { type: "interactive", content: content.source };
    case "template": {
      const { name: templateName, language: templateLanguage, expectCategory, filling } = content;
      const template = {
        type: "template",
        templateName,
        ...(templateLanguage === undefined ? {} : { templateLanguage }),
        ...(expectCategory === undefined ? {} : { expectCategory }),
      };
      if (filling.kind === "components") return { ...template, templateComponents: filling.components };
      const { kind: _, carousel, ...values } = filling;
      return { ...template, ...values, ...(carousel ? { carousel: { cards: carousel.cards.map(cardFields) } } : {}) };
    }
    default:
      return content satisfies never;
  }
}

const cardFields = ({ index, bodyValues, buttonValues, header }: CarouselCard) => ({
  index,
  ...(bodyValues.length > 0 ? { bodyValues: Object.fromEntries(bodyValues) } : {}),
  ...(buttonValues.length > 0
    ? {
        buttonValues: buttonValues.map((button) => ({
          index: button.index,
          sub_type: button.subType,
          parameters: { type: "text", text: button.text },
        })),
      }
    : {}),
  ...(header ? { header } : {}),
});
