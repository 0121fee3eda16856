import { env } from "@/lib/core/env";
import { clientText } from "@/lib/docs/client-text";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () =>
    new Response(await clientText(env().APP_URL), { headers: { "content-type": "text/plain; charset=utf-8" } }),
});
