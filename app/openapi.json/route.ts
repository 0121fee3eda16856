import { env } from "@/lib/core/env";
import { openApiDocument } from "@/lib/docs/openapi";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => {
    const text = madeOnce("openapi.json", () => JSON.stringify(openApiDocument(env().APP_URL)));
    return new Response(text, { headers: { "content-type": "application/json" } });
  },
});
