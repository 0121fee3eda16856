import { env } from "@/lib/core/env";
import { sitemap } from "@/lib/docs/docs-pages";
import { publicFile } from "@/lib/http/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicFile(
  "application/xml; charset=utf-8",
  () => sitemap(env().APP_URL),
  { maxAgeSeconds: 3_600 },
);
