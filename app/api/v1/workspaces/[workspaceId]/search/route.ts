import { memberOf } from "@/lib/auth/member";
import { readSearchTerm } from "@/lib/core/search-term";
import { findByTerm } from "@/lib/dashboard/search-queries";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const { workspaceId, role } = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const term = readSearchTerm(new URL(request.url).searchParams.get("q") ?? "");
    const found = term ? await findByTerm(workspaceId, term, role) : [];
    return Response.json({ success: true, data: { found } });
  },
});
