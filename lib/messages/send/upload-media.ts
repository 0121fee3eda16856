import { errorFields, log } from "@/lib/core/log";
import type { WorkspaceId } from "@/lib/core/principal";
import { mediaKey, type UploadedMedia } from "@/lib/media/media-link";
import { storeUpload } from "@/lib/media/store-upload";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type {
  CardComponent,
  HeaderParameter,
  OutboundMessage,
  TemplateComponent,
} from "@/lib/whatsapp/message-payload";
import { notSent, type RefusedSend, uploadMedia } from "@/lib/whatsapp/post-message";
import type { PreparedMedia } from "./prepare-send";

const UPLOAD_TIMEOUT_MS = 4_000;
const MIN_UPLOAD_MS = 500;

type Held = { key: string; uploaded: UploadedMedia };
/** `field` is the caller's name of the media. */
type Refused = { refusal: RefusedSend; field: string };

/** The line's uploaded media by `mediaKey`, or the first refusal. */
export type Uploads = { uploaded: Map<string, UploadedMedia> } | Refused;

/**
 * Uploads fetched media within `timeLeftMs` and remembers it for ten minutes. Waits for all uploads, so that
 * a retry can reuse those that succeeded.
 */
export async function uploadAll(
  { workspaceId, phoneNumberId, line }: { workspaceId: WorkspaceId; phoneNumberId: string; line: WhatsappLine },
  media: readonly PreparedMedia[],
  timeLeftMs: number,
): Promise<Uploads> {
  const timeoutMs = Math.min(UPLOAD_TIMEOUT_MS, timeLeftMs);
  const results = await Promise.all(
    media.map(async (item): Promise<Held | Refused> => {
      const { source } = item;
      const key = mediaKey(source);
      if ("uploaded" in item) return { key, uploaded: item.uploaded };
      if (timeoutMs < MIN_UPLOAD_MS) return { refusal: notSent(NO_TIME), field: source.field };
      const { bytes, mimeType, fileName } = item.fetched;
      const upload = await uploadMedia(line, { bytes, mimeType, timeoutMs });
      if (upload.outcome === "refused") return { refusal: upload, field: source.field };
      const uploaded = { whatsappMediaId: upload.whatsappMediaId, fileName };
      await remember(workspaceId, { phoneNumberId, link: source, uploaded });
      return { key, uploaded };
    }),
  );
  const refused = results.find((result) => "refusal" in result);
  if (refused) return refused;
  return { uploaded: new Map(results.flatMap((result) => ("key" in result ? [[result.key, result.uploaded]] : []))) };
}

const NO_TIME = "fetching it left too little time for its upload";

/** A lost entry costs one more upload, so its failure must not stop the send. */
const remember = (...upload: Parameters<typeof storeUpload>) =>
  storeUpload(...upload).catch((error: unknown) => log("warn", "media.not-remembered", errorFields(error)));

export type LinkedMedia = Extract<HeaderParameter, { kind: "link" }>;

/** Returns the links whose media must be uploaded before the send, each once, under its first field. */
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

function headersOf(message: OutboundMessage): HeaderParameter[] {
  if (message.type !== "template" || !("built" in message.components)) return [];
  const components = message.components.built.flatMap((component): CardComponent[] =>
    component.type === "carousel" ? component.cards.flatMap((card) => card.components) : [component],
  );
  return components.flatMap((component) => (component.type === "header" ? [component.parameter] : []));
}

function withUpload(parameter: HeaderParameter, uploaded: ReadonlyMap<string, UploadedMedia>): HeaderParameter {
  if (parameter.kind !== "link") return parameter;
  const media = uploaded.get(mediaKey(parameter));
  if (!media) throw new Error(`${parameter.field} was not uploaded`);
  return { kind: "media", format: parameter.format, ...media };
}
