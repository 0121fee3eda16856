import { memberOf } from "@/lib/auth/member";
import { AppError, invalid } from "@/lib/core/app-error";
import { namedMode } from "@/lib/core/page-mode";
import { findNamedMessage } from "@/lib/messages/queries";
import { apiRoute } from "@/lib/public-api/api-route";

/** The message of an idempotency key, for a page whose send got no answer. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const { workspaceId } = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const mode = namedMode(request);
    const key = new URL(request.url).searchParams.get("key")?.trim();
    if (!key || key.includes("\0")) throw invalid([{ path: "key", message: "is required." }]);
    const message = await findNamedMessage(workspaceId, mode, { idempotencyKey: key });
    if (!message) throw new AppError("NOT_FOUND", "No message has this idempotency key.");
    const { id, status, createdAt } = message;
    return Response.json({ success: true, data: { id, status, createdAt: createdAt.toISOString() } });
  },
});
