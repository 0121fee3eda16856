import { memberRoute } from "@/lib/auth/member-request";
import { readSearchTerm } from "@/lib/core/search-term";
import { findByTerm } from "@/lib/dashboard/search-queries";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, search }) => {
  const term = readSearchTerm(search.get("q") ?? "");
  const found = term ? await findByTerm(member.workspaceId, term, member.role) : [];
  return Response.json({ success: true, data: { found } });
});
