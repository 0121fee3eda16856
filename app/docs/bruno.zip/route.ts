import { env } from "@/lib/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { brunoArchive } from "@/lib/public-api/bruno";
import { madeOnce } from "@/lib/public-api/made-once";
import { openApiDocument } from "@/lib/public-api/openapi";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => {
    const { APP_URL } = env();
    const archive = madeOnce("bruno.zip", () => brunoArchive(openApiDocument(APP_URL), APP_URL));
    return new Response(archive, { headers: { "content-type": "application/zip" } });
  },
});
