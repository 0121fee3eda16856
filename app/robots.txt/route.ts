import { env } from "@/lib/core/env";
import { robotsText } from "@/lib/docs/docs-pages";
import { publicFile } from "@/lib/http/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicFile(
  "text/plain; charset=utf-8",
  () => robotsText(env().APP_URL),
  { maxAgeSeconds: 3_600 },
);
