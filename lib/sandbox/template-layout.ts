import { z } from "zod";

/** A template as WhatsApp's list shows it; other fields are stored and listed on request. */
export const SandboxTemplate = z.looseObject({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  status: z.string(),
  category: z.string(),
  parameter_format: z.string().optional(),
  components: z.array(z.unknown()),
});

export type SandboxTemplate = z.output<typeof SandboxTemplate>;

/** The parts of a template (or of one carousel card) that a send must fill. */
export type Layout = {
  header: { format: string; text: string } | undefined;
  bodyText: string;
  buttons: { type: string; url: string }[];
  /** Empty without a carousel. */
  cards: Layout[];
  /** True if a limited-time offer has a countdown. */
  expires: boolean;
};

/** Parses a template's listed components; unknown ones are omitted. Throws on components that are not objects. */
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
