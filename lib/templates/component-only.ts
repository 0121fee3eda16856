import type { TemplateHeader, TemplatePart } from "./definition";

/** A place of a template that no string fills: only the caller's own `templateComponents` can. */
export type ComponentOnly = {
  /** Its name in the public template record, on a card behind the card's prefix: `location`, `c0_product`. */
  key: string;
  where: string;
  /** For a sentence: `a LOCATION header`. */
  what: string;
};

/** Those of the message itself, or of one card. A multi-product button is none: a single product fills it, too. */
export function componentOnlyPlaces({
  header,
  buttons,
  hasExpiringOffer = false,
}: TemplatePart & { hasExpiringOffer?: boolean }): ComponentOnly[] {
  const offer = {
    key: "limited_time_offer",
    where: "limited-time offer",
    what: "a limited-time offer with an expiration",
  };
  // What the button shows is the product of the header.
  const button = header?.kind === "other" ? undefined : buttons.find(({ kind }) => kind === "singleProduct");
  return [
    ...(header?.kind === "other" ? [ofHeader(header)] : []),
    ...(hasExpiringOffer ? [offer] : []),
    ...(button ? [{ key: "product", where: `button ${button.index} product`, what: "a single product" }] : []),
  ];
}

const ofHeader = ({ format }: Extract<TemplateHeader, { kind: "other" }>): ComponentOnly => ({
  key: format.toLowerCase() || "header_content",
  where: "header",
  what: `a ${format || "special"} header`,
});
