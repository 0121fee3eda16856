import type { Principal } from "@/lib/core/principal";
import { lineAskedFor } from "@/lib/phone-numbers/asked-line";
import { listApproved } from "@/lib/templates/queries";
import { type TemplateQuery, writeCursor } from "./template-query";
import { toTemplateResource } from "./template-resource";

/**
 * The approved templates of a key's workspace and mode: all, or a page of `limit` with `nextCursor` (null on the last).
 * Throws PHONE_NUMBER_NOT_FOUND where the filter names a line that is not the workspace's.
 */
export async function listPublicTemplates({ workspaceId, mode, lines }: Principal, query: TemplateQuery) {
  const { name, language, category, phoneNumberId, limit, after } = query;
  // A paused line still has its templates.
  const seen = { workspaceId, mode, lines: lines.map(asActive) };
  const line = phoneNumberId === undefined ? undefined : await lineAskedFor(seen, phoneNumberId);
  const filter = { mode, name, language, category, whatsappBusinessAccountId: line?.whatsappBusinessAccountId };
  if (limit === undefined) {
    const templates = await listApproved(workspaceId, filter, { after });
    return { templates: templates.map(toTemplateResource) };
  }
  const [page, next] = split(await listApproved(workspaceId, filter, { after, limit: limit + 1 }), limit);
  const last = page.at(-1);
  return { templates: page.map(toTemplateResource), nextCursor: next.length > 0 && last ? writeCursor(last) : null };
}

const asActive = <T>(line: T) => ({ ...line, isActive: true });
const split = <T>(items: T[], at: number): [T[], T[]] => [items.slice(0, at), items.slice(at)];
