import { mediaKey } from "@/lib/media/media-link";
import type { UploadedMedia } from "@/lib/media/uploaded-media";
import type { CardComponent, HeaderParameter, TemplateComponent } from "@/lib/whatsapp/components";
import type { OutboundMessage } from "@/lib/whatsapp/outbound";

export type LinkedMedia = Extract<HeaderParameter, { kind: "link" }>;

/** The links whose media must be uploaded before the message can leave, each once, under its first field. */
export function linkedMedia(message: OutboundMessage): LinkedMedia[] {
  const links = new Map<string, LinkedMedia>();
  for (const header of headersOf(message)) {
    if (header.kind === "link" && !links.has(mediaKey(header))) links.set(mediaKey(header), header);
  }
  return [...links.values()];
}

/** The message with every link replaced by the media that was uploaded for it; `uploaded` goes by `mediaKey`. */
export function withUploads(message: OutboundMessage, uploaded: ReadonlyMap<string, UploadedMedia>): OutboundMessage {
  if (message.type !== "template" || !("built" in message.components)) return message;
  const replace = <T extends CardComponent>(component: T): T =>
    component.type === "header" ? { ...component, parameter: withUpload(component.parameter, uploaded) } : component;
  const built = message.components.built.map(
    (component): TemplateComponent =>
      component.type === "carousel"
        ? {
            ...component,
            cards: component.cards.map((card) => ({ ...card, components: card.components.map(replace) })),
          }
        : replace(component),
  );
  return { ...message, components: { built } };
}

const headersOf = (message: OutboundMessage): HeaderParameter[] => {
  if (message.type !== "template" || !("built" in message.components)) return [];
  const components = message.components.built.flatMap((component): CardComponent[] =>
    component.type === "carousel" ? component.cards.flatMap((card) => card.components) : [component],
  );
  return components.flatMap((component) => (component.type === "header" ? [component.parameter] : []));
};

const withUpload = (parameter: HeaderParameter, uploaded: ReadonlyMap<string, UploadedMedia>): HeaderParameter => {
  if (parameter.kind !== "link") return parameter;
  const media = uploaded.get(mediaKey(parameter));
  if (!media) throw new Error(`${parameter.field} was not uploaded`);
  return { kind: "media", format: parameter.format, ...media };
};
