import { and, gt, inArray, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { mediaUploads } from "@/db/schema/messages";
import type { WorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { type MediaLink, mediaDigest, mediaKey, type UploadedMedia } from "./media-link";

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

/** Returns a line's unexpired uploads for these links, by `mediaKey`. */
export async function findUploads(
  workspaceId: WorkspaceId,
  phoneNumberId: string,
  links: readonly MediaLink[],
): Promise<Map<string, UploadedMedia>> {
  if (links.length === 0) return new Map();
  const rows = await onDatabase((db) =>
    db
      .select()
      .from(mediaUploads)
      .where(
        and(
          rowsOf(mediaUploads, workspaceId, { phoneNumberId }),
          inArray(mediaUploads.urlDigest, links.map(mediaDigest)),
          gt(mediaUploads.expiresAt, sql`now()`),
        ),
      ),
  );
  const keyOf = new Map(links.map((link) => [Buffer.from(mediaDigest(link)).toString("hex"), mediaKey(link)]));
  return new Map(
    rows.flatMap(({ urlDigest, whatsappMediaId, fileName }) => {
      const key = keyOf.get(Buffer.from(urlDigest).toString("hex"));
      return key ? [[key, { whatsappMediaId, fileName }] as const] : [];
    }),
  );
}
