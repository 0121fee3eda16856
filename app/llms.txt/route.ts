import { llmsText } from "@/lib/docs/docs-page";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => new Response(llmsText(), { headers: { "content-type": "text/plain; charset=utf-8" } }),
});
