import { env } from "@/lib/core/env";
import { openApiDocument } from "@/lib/docs/openapi";
import { publicFile } from "@/lib/http/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicFile("application/json", () =>
  JSON.stringify(openApiDocument(env().APP_URL)),
);
