import { BODY_CAPS } from "@/lib/core/budget";
import { listen } from "@/lib/outgoing/listen";
import { apiRoute } from "@/lib/public-api/api-route";
import { parseJsonBytes } from "@/lib/public-api/issues";
import { readBody } from "@/lib/public-api/read-body";
import { admitListener, readListenRequest } from "@/lib/public-api/read-listen-request";

/** For the command line's `listen` alone: no part of the partner API's contract. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  POST: async ({ request }) => {
    const { workspaceId, apiKeyId } = await admitListener(request.headers);
    const body = parseJsonBytes(await readBody(request, { maxBytes: BODY_CAPS.call, from: "calls" }));
    const data = await listen(workspaceId, { ...readListenRequest(body), apiKeyId });
    return Response.json({ success: true, data });
  },
});
