import type { DraftPart, TemplateDraft } from "@/lib/whatsapp/draft";
import { findPlaceholders } from "@/lib/whatsapp/placeholders";
import { toGraphDraftComponents } from "@/lib/whatsapp/template-payload";
import { readDefinition, type TemplateDefinition } from "./definition";
import { cardKey, HEADER_LINK } from "./variable-keys";

/** Returns a draft's definition, as it will be read after storing. */
export function definitionOf(draft: TemplateDraft): TemplateDefinition {
  const components = toGraphDraftComponents(draft, new Map());
  return readDefinition({ ...draft, parameterFormat: "POSITIONAL", components });
}

/** Returns a draft's samples by their keys in the preview. */
export function sampleValuesOf(draft: TemplateDraft): Map<string, string> {
  if (draft.category === "AUTHENTICATION") return new Map([["1", "123456"]]);
  const ofCards = draft.cards.flatMap((card, index) =>
    samplesOf(card).map(([key, sample]): [string, string] => [cardKey(index, key), sample]),
  );
  return new Map([...samplesOf(draft), ...ofCards]);
}

function samplesOf({ header, body, samples }: DraftPart): [key: string, sample: string][] {
  const texts = findPlaceholders(body).map((key, index): [string, string] => [key, samples[index] ?? ""]);
  const isMedia = header.kind !== "none" && header.kind !== "text";
  const all: [string, string][] = isMedia ? [...texts, [HEADER_LINK, header.sample]] : texts;
  return all.filter(([, sample]) => sample !== "");
}
