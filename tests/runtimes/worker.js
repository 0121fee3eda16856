// @ts-nocheck The worker's environment and the package are there when it runs.
import { Switchboard, verifyWebhook, WebhookVerificationError } from "switchboard-client/switchboard.js";

/** A worker of a partner: `/send` sends and waits, and everything else is a webhook. */
export default {
  async fetch(request, { CHAT_API_KEY, CHAT_API_SECRET, CHAT_API_URL, WEBHOOK_SECRET }) {
    if (new URL(request.url).pathname === "/send") {
      const client = new Switchboard({ apiKey: CHAT_API_KEY, apiSecret: CHAT_API_SECRET, origin: CHAT_API_URL });
      const sent = await client.send({ type: "text", phone: "447700900003", content: "Your order is ready." });
      const { status } = await client.waitFor(sent.id, { until: "READ", timeoutSeconds: 60 });
      return Response.json({ isReplay: sent.idempotentReplay, status });
    }
    try {
      const event = await verifyWebhook(await request.arrayBuffer(), request.headers, WEBHOOK_SECRET);
      return new Response(`${event.type} ${event.sequence}`);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return new Response(error.message, { status: 400 });
    }
  },
};
