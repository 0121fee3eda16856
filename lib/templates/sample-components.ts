import { invalid } from "@/lib/core/app-error";
import { quote } from "@/lib/core/text";
import type { CardComponent, HeaderParameter, TemplateComponent } from "@/lib/whatsapp/message-payload";
import type { TemplateDefinition, TemplateHeader } from "./definition";
import { fillParts, type TemplateValues, toComponents } from "./fill";

/**
 * Builds a send's components with samples for slots that only components can fill, for the caller to edit and send
 * as `templateComponents`. Throws VALIDATION_ERROR for invalid values or an unknown kind of header.
 */
export function sampleComponents(definition: TemplateDefinition, values: TemplateValues): TemplateComponent[] {
  const { main, cards } = fillParts(definition, values);
  const offer: TemplateComponent[] = definition.hasExpiringOffer
    ? [{ type: "limitedTimeOffer", expiresAtMs: EXPIRES_AT_MS }]
    : [];
  const firstButton = main.findIndex(({ type }) => type === "button");
  const at = firstButton < 0 ? main.length : firstButton;
  return toComponents({
    main: [...sampleHeader(definition), ...main.slice(0, at), ...offer, ...main.slice(at)],
    cards: cards.map(({ index, components }) => ({
      index,
      components: [...sampleHeader(definition, index), ...components.map(withMediaId)],
    })),
  });
}

/** A sample expiry that always lies in the future. */
const EXPIRES_AT_MS = Date.UTC(2100, 0, 1);
const MEDIA_ID = "1013859600285441";

function sampleHeader(definition: TemplateDefinition, card?: number): CardComponent[] {
  const part = card === undefined ? definition : definition.cards[card];
  if (part?.header?.kind === "other") return [{ type: "header", parameter: sampleOf(part.header, definition.name) }];
  return part?.buttons.some(({ kind }) => kind === "singleProduct") ? [{ type: "header", parameter: PRODUCT }] : [];
}

function sampleOf({ format }: Extract<TemplateHeader, { kind: "other" }>, name: string): HeaderParameter {
  if (format === "LOCATION") return LOCATION;
  if (format === "PRODUCT") return PRODUCT;
  const message = `Template ${quote(name)} has a ${format || "special"} header, and we have no sample of one: write its component as WhatsApp documents it.`;
  throw invalid([{ path: "templateComponents", message }]);
}

const LOCATION: HeaderParameter = {
  kind: "location",
  latitude: "51.5007",
  longitude: "-0.1246",
  name: "Elizabeth Tower",
  address: "London SW1A 0AA",
};

const PRODUCT: HeaderParameter = { kind: "product", productRetailerId: "SKU-1", catalogId: "1234567890" };

/** WhatsApp documents card headers with a media id only, so the sample must not be a link. */
function withMediaId(component: CardComponent): CardComponent {
  if (component.type !== "header" || component.parameter.kind !== "link") return component;
  return {
    type: "header",
    parameter: { kind: "media", format: component.parameter.format, whatsappMediaId: MEDIA_ID },
  };
}
