import { llmsText } from "@/lib/docs/llms-text";
import { env } from "@/lib/process/env";
import { apiRoute } from "@/lib/public-api/api-route";
import { madeOnce } from "@/lib/public-api/made-once";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async () => {
    const { APP_URL, PUBLIC_API_IP_RATE_LIMIT: perAddress, PUBLIC_API_KEY_RATE_LIMIT: perKey } = env();
    const text = madeOnce("llms.txt", () => llmsText(APP_URL, { perAddress, perKey }));
    return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
  },
});
