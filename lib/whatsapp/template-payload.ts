import type { DraftButton, DraftHeader, DraftPart, TemplateDraft } from "./draft";
import { listedCode, NO_CODE, postedCode } from "./one-time-code";
import { findPlaceholders } from "./placeholders";

type GraphObject = Record<string, unknown>;

/** WhatsApp's handles of uploaded media samples, by source URL. */
export type SampleHandles = ReadonlyMap<string, string>;

/** Builds the body of `POST /{business account}/message_templates`. */
export function toGraphTemplate(draft: TemplateDraft, handles: SampleHandles): GraphObject {
  return {
    name: draft.name,
    language: draft.language,
    category: draft.category,
    parameter_format: "POSITIONAL",
    components: toPostedComponents(draft, handles),
  };
}

/** What an edit of a template replaces. */
export function toPostedComponents(draft: TemplateDraft, handles: SampleHandles): GraphObject[] {
  return draft.category === "AUTHENTICATION"
    ? postedCode(draft.code ?? NO_CODE)
    : toGraphDraftComponents(draft, handles);
}

/** The same format as in WhatsApp's list, so that our copy exists before the first sync. */
export function toGraphDraftComponents(draft: TemplateDraft, handles: SampleHandles): GraphObject[] {
  if (draft.category === "AUTHENTICATION") return listedCode(draft.code ?? NO_CODE);
  return [
    ...headerComponent(draft.header, handles),
    ...bodyComponent(draft),
    ...(draft.footer === "" ? [] : [{ type: "FOOTER", text: draft.footer }]),
    ...buttonsComponent(draft.buttons),
    ...(draft.cards.length === 0
      ? []
      : [{ type: "CAROUSEL", cards: draft.cards.map((card) => ({ components: partComponents(card, handles) })) }]),
  ];
}

const partComponents = (part: DraftPart, handles: SampleHandles): GraphObject[] => [
  ...headerComponent(part.header, handles),
  ...bodyComponent(part),
  ...buttonsComponent(part.buttons),
];

function bodyComponent({ body, samples }: DraftPart): GraphObject[] {
  if (body.trim() === "") return [];
  const slots = findPlaceholders(body);
  const example = slots.length > 0 ? { example: { body_text: [samples.slice(0, slots.length)] } } : {};
  return [{ type: "BODY", text: body, ...example }];
}

const buttonsComponent = (buttons: DraftButton[]): GraphObject[] =>
  buttons.length === 0 ? [] : [{ type: "BUTTONS", buttons: buttons.map(graphButton) }];

function headerComponent({ kind, text, sample }: DraftHeader, handles: SampleHandles): GraphObject[] {
  if (kind === "none") return [];
  if (kind === "text") {
    const example = findPlaceholders(text).length > 0 ? { example: { header_text: [sample] } } : {};
    return [{ type: "HEADER", format: "TEXT", text, ...example }];
  }
  const handle = handles.get(sample) ?? sample;
  return [{ type: "HEADER", format: kind.toUpperCase(), example: { header_handle: [handle] } }];
}

export const GRAPH_BUTTON_TYPES = {
  quickReply: "QUICK_REPLY",
  url: "URL",
  phone: "PHONE_NUMBER",
  copyCode: "COPY_CODE",
} as const satisfies Record<DraftButton["kind"], string>;

/** Removes the separators from a number. */
export function phoneOf(target: string): string {
  return target.replace(/[\s().-]/g, "");
}

function graphButton({ kind, label, target, sample }: DraftButton): GraphObject {
  const type = GRAPH_BUTTON_TYPES[kind];
  switch (kind) {
    case "quickReply":
      return { type, text: label };
    case "url": {
      const isDynamic = target.endsWith("{{1}}");
      const example = isDynamic ? { example: [target.replace("{{1}}", () => sample)] } : {};
      return { type, text: label, url: target, ...example };
    }
    case "phone":
      return { type, text: label, phone_number: phoneOf(target) };
    case "copyCode":
      return { type, example: [sample] };
  }
}
