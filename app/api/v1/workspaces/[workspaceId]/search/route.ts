import { memberOf } from "@/lib/auth/member";
import { apiRoute } from "@/lib/public-api/api-route";
import { findByTerm } from "@/lib/search/queries";
import { readSearchTerm } from "@/lib/text/search-term";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const { workspaceId, role } = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const term = readSearchTerm(new URL(request.url).searchParams.get("q") ?? "");
    const found = term ? await findByTerm(workspaceId, term, role) : [];
    return Response.json({ success: true, data: { found } });
  },
});
