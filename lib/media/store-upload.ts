import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { mediaUploads } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { type MediaLink, mediaDigest } from "./media-link";
import type { UploadedMedia } from "./uploaded-media";

// As long as WhatsApp itself caches media by address; it keeps the uploaded media for 30 days.
const lifetime = sql`now() + interval '10 minutes'`;

/** Remembers under which media id a line has uploaded the media of a link. */
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
