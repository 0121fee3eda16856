import { env } from "@/lib/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { openApiDocument } from "@/lib/public-api/openapi";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => Response.json(openApiDocument(env().APP_URL)),
});
