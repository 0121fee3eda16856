import { env } from "@/lib/core/env";
import { robotsText } from "@/lib/docs/docs-pages";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute(
  {
    GET: async () =>
      new Response(robotsText(env().APP_URL), {
        headers: { "content-type": "text/plain; charset=utf-8" },
      }),
  },
  { maxAgeSeconds: 3_600 },
);
