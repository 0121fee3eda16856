import { env } from "@/lib/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { openApiDocument } from "@/lib/public-api/openapi";
import { postmanCollection } from "@/lib/public-api/postman";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => {
    const { APP_URL } = env();
    return Response.json(postmanCollection(openApiDocument(APP_URL), APP_URL));
  },
});
