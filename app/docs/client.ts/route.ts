import { env } from "@/lib/core/env";
import { clientText } from "@/lib/docs/client-text";
import { publicFile } from "@/lib/http/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicFile("text/plain; charset=utf-8", () =>
  clientText(env().APP_URL),
);
