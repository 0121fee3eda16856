import { z } from "zod";

/** A template as WhatsApp's list shows it; fields beyond these are kept and listed when asked for. */
export type SandboxTemplate = {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format?: string;
  components: readonly unknown[];
  [more: string]: unknown;
};

/** What of a template (or of one of its carousel's cards) a send has to fill. */
export type Layout = {
  header: { format: string; text: string } | undefined;
  bodyText: string;
  buttons: { type: string; url: string }[];
  /** Empty where the template has no carousel. */
  cards: Layout[];
  /** True where a limited-time offer counts down. */
  expires: boolean;
};

/** Reads a template's listed components; what it does not know is left out. Throws on components that are not objects. */
export function layoutOf(components: readonly unknown[]): Layout {
  const known = components.map((component) => Component.parse(component));
  const find = (type: string) => known.find((component) => component.type.toUpperCase() === type);
  const header = find("HEADER");
  return {
    header: header && { format: (header.format ?? "TEXT").toUpperCase(), text: header.text ?? "" },
    bodyText: find("BODY")?.text ?? "",
    buttons: (find("BUTTONS")?.buttons ?? []).map(({ type, url = "" }) => ({ type: type.toUpperCase(), url })),
    cards: (find("CAROUSEL")?.cards ?? []).map((card) => layoutOf(card.components)),
    expires: find("LIMITED_TIME_OFFER")?.limited_time_offer?.has_expiration ?? false,
  };
}

const Component = z.looseObject({
  type: z.string(),
  format: z.string().optional(),
  text: z.string().optional(),
  buttons: z.array(z.looseObject({ type: z.string(), url: z.string().optional() })).optional(),
  cards: z.array(z.looseObject({ components: z.array(z.unknown()) })).optional(),
  limited_time_offer: z.looseObject({ has_expiration: z.boolean().optional() }).optional(),
});
