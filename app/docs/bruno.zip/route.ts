import { env } from "@/lib/process/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";
import { brunoArchive } from "@/lib/reference/bruno";
import { openApiDocument } from "@/lib/reference/openapi";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => {
    const { APP_URL } = env();
    const archive = madeOnce("bruno.zip", () => brunoArchive(openApiDocument(APP_URL), APP_URL));
    return new Response(archive, { headers: { "content-type": "application/zip" } });
  },
});
