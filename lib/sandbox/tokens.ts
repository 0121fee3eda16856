import { z } from "zod";
import { readJson } from "@/lib/core/json";
import { readSmallForm } from "./body";
import { GraphError } from "./graph-error";

const SCOPES = ["whatsapp_business_management", "whatsapp_business_messaging"];
const DAY_SECONDS = 24 * 60 * 60;
export const SANDBOX_APP = { id: "900000000000001", name: "Sandbox" };

/** Throws WhatsApp's error for a token that begins with `expired`. */
export function checkToken(token: string): void {
  if (token.startsWith("expired")) {
    throw new GraphError(190, "Error validating access token: Session has expired.", { subcode: 463 });
  }
}

/**
 * `POST /me` with a batch of one `debug_token`. The token's prefix determines the result: `day…` expires within
 * 24 hours, `week…` within six days, `narrow…` may not manage the account, anything else never expires.
 */
export async function batchResponse(request: Request): Promise<Response> {
  const form = await readSmallForm(request);
  const batch = Batch.safeParse(readJson(String(form?.get("batch")))).data;
  if (!batch) throw new GraphError(100, "This platform takes a batch of debug_token requests only.");
  const answers = batch.map(({ relative_url }) => {
    const token = new URL(relative_url, "https://graph").searchParams.get("input_token") ?? "";
    return { code: 200, body: JSON.stringify({ data: tokenRecord(token) }) };
  });
  return Response.json(answers);
}

const Batch = z.array(z.object({ method: z.literal("GET"), relative_url: z.string().startsWith("debug_token?") }));

const tokenRecord = (token: string) => ({
  app_id: SANDBOX_APP.id,
  application: SANDBOX_APP.name,
  type: "SYSTEM_USER",
  is_valid: true,
  expires_at: expiresAt(token),
  scopes: token.startsWith("narrow") ? SCOPES.slice(1) : SCOPES,
});

function expiresAt(token: string): number {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  if (token.startsWith("day")) return nowSeconds + DAY_SECONDS - 60;
  return token.startsWith("week") ? nowSeconds + 6 * DAY_SECONDS : 0;
}
