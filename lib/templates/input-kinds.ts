import type { TemplateDefinition, TemplatePart } from "./definition";

/** Summarizes the inputs that a send of the template needs: `2 texts`, `image`, `link`, `3 cards`. */
export function inputKinds(definition: TemplateDefinition): string[] {
  const { cards } = definition;
  const ofCards = [...new Set(cards.flatMap(kindsOf))];
  return [
    ...kindsOf(definition),
    ...(cards.length > 0
      ? [
          `${cards.length === 1 ? "1 card" : `${cards.length} cards`}${ofCards.length > 0 ? ` (${ofCards.join(", ")})` : ""}`,
        ]
      : []),
  ];
}

const kindsOf = ({ header, body, buttons }: TemplatePart): string[] => {
  const texts = new Set(
    [...(header?.kind === "text" ? header.slots : []), ...(body?.slots ?? [])].map(({ key }) => key),
  );
  const kinds = buttons.map(({ kind }) => kind);
  return [
    ...(header?.kind === "media" ? [header.format] : []),
    ...(header?.kind === "other" ? [header.format.toLowerCase()] : []),
    ...(texts.size > 0 ? [texts.size === 1 ? "1 text" : `${texts.size} texts`] : []),
    ...(kinds.includes("url") ? ["link"] : []),
    ...(kinds.includes("copyCode") ? ["code"] : []),
    ...(kinds.includes("catalog") || kinds.includes("multiProduct") ? ["product"] : []),
  ];
};
