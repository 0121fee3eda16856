import { createHash } from "node:crypto";
import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { mediaUploads } from "@/db/schema";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

export const linkDigest = (link: string): Uint8Array => createHash("sha256").update(link).digest();

/** The media ids that a line still holds for these links, by link. */
export const findUploads = async (
  workspaceId: WorkspaceId,
  phoneNumberId: string,
  links: readonly string[],
): Promise<Map<string, string>> => {
  if (links.length === 0) return new Map();
  const rows = await onDatabase((db) =>
    db
      .select()
      .from(mediaUploads)
      .where(
        and(
          eq(mediaUploads.workspaceId, workspaceId),
          eq(mediaUploads.phoneNumberId, phoneNumberId),
          inArray(mediaUploads.urlDigest, links.map(linkDigest)),
          gt(mediaUploads.expiresAt, sql`now()`),
        ),
      ),
  );
  const linkOf = new Map(links.map((link) => [Buffer.from(linkDigest(link)).toString("hex"), link]));
  return new Map(
    rows.flatMap((row) => {
      const link = linkOf.get(Buffer.from(row.urlDigest).toString("hex"));
      return link ? [[link, row.whatsappMediaId] as const] : [];
    }),
  );
};
