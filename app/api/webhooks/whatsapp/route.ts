import { BODY_CAPS } from "@/lib/http/body-caps";
import { apiRoute } from "@/lib/public-api/api-route";
import { readBody } from "@/lib/public-api/read-body";
import { answerChallenge } from "@/lib/webhooks/challenge";
import { receiveWebhook } from "@/lib/webhooks/receive-webhook";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request }) => new Response(answerChallenge(new URL(request.url).searchParams)),
  POST: async ({ request }) => {
    const read = (onChunk: (chunk: Uint8Array) => void) =>
      readBody(request, { maxBytes: BODY_CAPS.webhook, from: "webhooks", onChunk });
    await receiveWebhook(request.headers.get("x-hub-signature-256"), read);
    return Response.json({ success: true });
  },
});
