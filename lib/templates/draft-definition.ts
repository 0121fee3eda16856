import type { DraftButton, DraftHeader, DraftPart, TemplateDraft } from "@/lib/whatsapp/draft";
import { findPlaceholders } from "@/lib/whatsapp/placeholders";
import type { TemplateButton, TemplateDefinition, TemplateHeader, TemplatePart } from "./definition";

/** Returns a draft's definition, as it would be read after storing. */
export function definitionOf(draft: TemplateDraft): TemplateDefinition {
  return {
    ...partOf(draft),
    name: draft.name,
    language: draft.language,
    isNamed: false,
    hasExpiringOffer: false,
    offer: null,
    footer: draft.footer || null,
    cards: draft.cards.map(partOf),
  };
}

/** Returns a draft's samples by their keys in the preview. */
export function sampleValuesOf(draft: TemplateDraft): Map<string, string> {
  return new Map(
    [draft, ...draft.cards].flatMap((part, place) => samplesOf(part, place === 0 ? "" : `c${place - 1}_`)),
  );
}

const samplesOf = ({ header, body, samples }: DraftPart, prefix: string): [string, string][] => {
  const texts = findPlaceholders(body).flatMap((key, index): [string, string][] => {
    const sample = samples[index] ?? "";
    return sample === "" ? [] : [[`${prefix}${key}`, sample]];
  });
  const isMedia = header.kind !== "none" && header.kind !== "text";
  return [
    ...texts,
    ...(isMedia && header.sample ? [[`${prefix}header_link`, header.sample] satisfies [string, string]] : []),
  ];
};

const partOf = ({ header, body, samples, buttons }: DraftPart): TemplatePart => ({
  header: headerOf(header),
  body: body === "" ? null : { text: body, slots: slotsOf(body, samples) },
  buttons: buttons.map(buttonOf),
});

const headerOf = ({ kind, text, sample }: DraftHeader): TemplateHeader | null => {
  if (kind === "none") return null;
  if (kind === "text") return { kind, text, slots: slotsOf(text, [sample]) };
  return { kind: "media", format: kind, example: /^https?:/.test(sample) ? sample : null };
};

const slotsOf = (text: string, samples: string[]) =>
  findPlaceholders(text).map((key, index) => ({ key, example: samples[index] ?? null }));

const buttonOf = ({ kind, label, target, sample }: DraftButton, index: number): TemplateButton => {
  switch (kind) {
    case "quickReply":
      return { index, label, kind };
    case "phone":
      return { index, label, kind: "fixed", target };
    case "copyCode":
      return { index, label: "Copy offer code", kind, example: sample };
    case "url":
      return target.endsWith("{{1}}")
        ? { index, label, kind, url: target, slot: { key: "1", example: sample }, isOneTimeCode: false }
        : { index, label, kind: "fixed", target };
    default:
      return kind satisfies never;
  }
};
