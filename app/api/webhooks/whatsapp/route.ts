import { BODY_CAPS } from "@/lib/core/budget";
import { answerChallenge, receiveWebhook } from "@/lib/incoming/receive-webhook";
import { apiRoute } from "@/lib/public-api/api-route";
import { readBody } from "@/lib/public-api/read-body";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request }) => new Response(answerChallenge(new URL(request.url).searchParams)),
  POST: async ({ request }) => {
    const read = (onChunk: (chunk: Uint8Array) => void) =>
      readBody(request, { maxBytes: BODY_CAPS.webhook, from: "webhooks", onChunk });
    await receiveWebhook(request.headers.get("x-hub-signature-256"), read);
    return Response.json({ success: true });
  },
});
