import { env } from "@/lib/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";
import { openApiDocument } from "@/lib/public-api/openapi";
import { postmanCollection } from "@/lib/public-api/postman";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => {
    const { APP_URL } = env();
    const text = madeOnce("postman.json", () => JSON.stringify(postmanCollection(openApiDocument(APP_URL), APP_URL)));
    return new Response(text, { headers: { "content-type": "application/json" } });
  },
});
