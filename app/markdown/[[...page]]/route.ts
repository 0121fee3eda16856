import { markdownOf } from "@/lib/docs/docs-page";
import { apiRoute } from "@/lib/http/api-route";

/** `/docs/….md`: no dynamic folder of Next’s can end in `.md`, so a rewrite of next.config.mjs leads here. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ url }) => {
    const page = url.pathname.replace(/^\/markdown(?=\/)/, "").replace(/\.md$/, "");
    return new Response(markdownOf(page), { headers: { "content-type": "text/markdown; charset=utf-8" } });
  },
});
