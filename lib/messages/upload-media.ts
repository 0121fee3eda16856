import { errorFields, log } from "@/lib/core/log";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { mediaKey } from "@/lib/media/media-link";
import { storeUpload } from "@/lib/media/store-upload";
import type { UploadedMedia } from "@/lib/media/uploaded-media";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import { uploadMedia } from "@/lib/whatsapp/media";
import { notSent, type RefusedSend } from "@/lib/whatsapp/post-message";
import type { PreparedMedia } from "./prepare-send";

const UPLOAD_TIMEOUT_MS = 4_000;
const LEAST_UPLOAD_MS = 500;

type Held = { key: string; uploaded: UploadedMedia };
/** `field` is the caller's name of the media. */
type Refused = { refusal: RefusedSend; field: string };

/** What the line holds now, by `mediaKey`; or the first refusal. */
export type Uploads = { uploaded: Map<string, UploadedMedia> } | Refused;

/**
 * Uploads what was fetched and remembers it for ten minutes, within `timeLeftMs`. All uploads end before it returns:
 * what one line holds already costs the next try nothing.
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
      if (timeoutMs < LEAST_UPLOAD_MS) return { refusal: notSent(NO_TIME), field: source.field };
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
