import { env } from "@/lib/process/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";
import { openApiDocument } from "@/lib/reference/openapi";
import { postmanCollection } from "@/lib/reference/postman";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => {
    const { APP_URL } = env();
    const text = madeOnce("postman.json", () => JSON.stringify(postmanCollection(openApiDocument(APP_URL), APP_URL)));
    return new Response(text, { headers: { "content-type": "application/json" } });
  },
});
