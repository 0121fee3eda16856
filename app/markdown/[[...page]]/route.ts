import { renderTwin } from "@/lib/docs/render-twin";
import { apiRoute } from "@/lib/public-api/api-route";

/** `/docs/….md`, which next.config.mjs leads here. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request }) => {
    const page = new URL(request.url).pathname.replace(/^\/markdown(?=\/)/, "").replace(/\.md$/, "");
    return new Response(await renderTwin(page), { headers: { "content-type": "text/markdown; charset=utf-8" } });
  },
});
