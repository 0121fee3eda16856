import { ENDPOINTS } from "@/lib/api/endpoints";
import { checkAlive, checkReady } from "@/lib/api/health";
import { publicApi } from "@/lib/api/route";
import { BODY_CAPS } from "@/lib/core/arriving-bytes";
import { newId } from "@/lib/core/new-id";
import { apiServe, finished } from "@/lib/http/api-route";
import { type Answer, answerOf, type Call, jsonAnswer } from "@/lib/http/call";
import { parseJsonBytes } from "@/lib/http/json-text";
import { readBody } from "@/lib/http/read-body";
import { requireCronSecret } from "@/lib/http/request-headers";
import { routed } from "@/lib/http/route-table";
import { toRequest } from "@/lib/http/web-route";
import { answerChallenge, receiveWebhook } from "@/lib/incoming/receive-webhook";
import { exportMetrics } from "@/lib/operations/export-metrics";
import { sweep } from "@/lib/operations/sweep";
import { listen } from "@/lib/outgoing/listen";
import { admitListener, readListenRequest } from "@/lib/outgoing/read-listen-request";
import { builtinSandbox } from "@/lib/phone-numbers/builtin-sandbox";

const TEXT = { "Content-Type": "text/plain;charset=UTF-8" };

/**
 * Answers every call below /api but those of sign-in and of members' pages (member-routes.ts): in our own server, and as a
 * route of Next.
 */
export const serveApi = routed([
  { path: "/api/v1/public/*", serve: publicApi(ENDPOINTS) },
  // For the command line's `listen` alone: no part of the partner API's contract.
  { path: "/api/v1/listen", serve: apiServe({ POST: pollEvents }) },
  {
    path: "/api/webhooks/whatsapp",
    serve: apiServe({
      GET: async ({ url }) => ({ status: 200, headers: TEXT, body: answerChallenge(url.searchParams) }),
      POST: takeWebhook,
    }),
  },
  // WhatsApp's side of test lines, in WhatsApp's own shapes, errors included.
  { path: "/api/sandbox/*", serve: playWhatsApp },
  { path: "/api/cron/sweep", serve: apiServe({ GET: sweepOnce }) },
  { path: "/api/health", serve: apiServe({ GET: checkAlive }) },
  { path: "/api/health/ready", serve: apiServe({ GET: checkReady }) },
  { path: "/api/metrics", serve: apiServe({ GET: exportMetrics }) },
  { path: "/api/*", serve: apiServe({}) },
]);

async function pollEvents(call: Call): Promise<Answer> {
  const { workspaceId, apiKeyId } = await admitListener(call);
  const body = parseJsonBytes(await readBody(call, { maxBytes: BODY_CAPS.call, from: "calls" }));
  return jsonAnswer({ success: true, data: await listen(workspaceId, { ...readListenRequest(body), apiKeyId }) });
}

async function takeWebhook(call: Call): Promise<Answer> {
  const read = (onChunk: (chunk: Uint8Array) => void) =>
    readBody(call, { maxBytes: BODY_CAPS.webhook, from: "webhooks", onChunk });
  await receiveWebhook(call.headers.get("x-hub-signature-256"), read);
  return jsonAnswer({ success: true });
}

async function sweepOnce({ headers }: Call): Promise<Answer> {
  requireCronSecret(headers);
  return jsonAnswer({ success: true, data: await sweep() });
}

async function playWhatsApp(call: Call): Promise<Answer> {
  const answer = await builtinSandbox()
    .handle(toRequest(call))
    .then(answerOf, () => {
      const error = { message: "(#2) API Service", type: "OAuthException", code: 2, fbtrace_id: "sandbox" };
      return jsonAnswer({ error }, { status: 503 });
    });
  return finished(answer, { requestId: newId("req") });
}
