import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { mediaUploads } from "@/db/schema/messages";
import type { WorkspaceId } from "@/lib/core/principal";
import { type MediaLink, mediaDigest, type UploadedMedia } from "./media-link";

// As long as WhatsApp itself caches media by URL; it keeps uploaded media for 30 days.
const lifetime = sql`now() + interval '10 minutes'`;

/** Stores the media id of a line's upload of a link. */
export function storeUpload(
  workspaceId: WorkspaceId,
  { phoneNumberId, link, uploaded }: { phoneNumberId: string; link: MediaLink; uploaded: UploadedMedia },
) {
  return onDatabase((db) =>
    db
      .insert(mediaUploads)
      .values({ workspaceId, phoneNumberId, urlDigest: mediaDigest(link), ...uploaded, expiresAt: lifetime })
      .onConflictDoUpdate({
        target: [mediaUploads.workspaceId, mediaUploads.phoneNumberId, mediaUploads.urlDigest],
        set: { ...uploaded, expiresAt: lifetime },
      }),
  );
}
