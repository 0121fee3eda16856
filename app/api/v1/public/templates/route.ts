import { listPublicTemplates } from "@/lib/public-api/list-templates";
import { publicRoute } from "@/lib/public-api/route";
import { parseTemplateQuery } from "@/lib/public-api/template-query";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicRoute({
  GET: {
    takesBody: false,
    handle: async ({ principal, request }) => {
      const query = parseTemplateQuery(new URL(request.url).searchParams);
      return { status: 200, data: await listPublicTemplates(principal, query) };
    },
  },
});
