import { env } from "@/lib/core/env";
import { sitemap } from "@/lib/docs/docs-pages";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute(
  {
    GET: async () =>
      new Response(
        madeOnce("sitemap.xml", () => sitemap(env().APP_URL)),
        { headers: { "content-type": "application/xml; charset=utf-8" } },
      ),
  },
  { maxAgeSeconds: 3_600 },
);
