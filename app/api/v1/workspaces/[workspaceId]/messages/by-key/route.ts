import { memberRoute } from "@/lib/auth/member-request";
import { AppError, invalidAt } from "@/lib/core/app-error";
import { namedMode } from "@/lib/core/page-mode";
import { findNamedMessage } from "@/lib/messages/queries";

/** The message of an idempotency key, for a page whose send got no answer. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, url, search }) => {
  const mode = namedMode(url);
  const key = search.get("key")?.trim();
  if (!key || key.includes("\0")) throw invalidAt("key", "is required.");
  const message = await findNamedMessage(member.workspaceId, mode, { idempotencyKey: key });
  if (!message) throw new AppError("NOT_FOUND", "No message has this idempotency key.");
  const { id, status, createdAt } = message;
  return Response.json({ success: true, data: { id, status, createdAt: createdAt.toISOString() } });
});
