import { z } from "zod";
import { isRecord } from "@/lib/core/json";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { address, text } from "@/lib/whatsapp/parts";
import { GraphError } from "./graph-error";
import { pick } from "./listing";
import { parseShape } from "./shape";
import { SANDBOX_APP } from "./tokens";

const DEFAULT_FIELDS = ["verified_name", "code_verification_status", "display_phone_number", "quality_rating"];

/** `GET /{phone-number-id}?fields=`: every number exists here. */
export function phoneNumberResponse(whatsappPhoneNumberId: string, query: URLSearchParams): Response {
  return Response.json(pick(phoneNumber(whatsappPhoneNumberId), query.get("fields"), DEFAULT_FIELDS));
}

/**
 * `GET /{waba-id}/phone_numbers?fields=`: every account has one number, its id derived from the account's. An id that
 * ends in 000003 has three numbers, one that ends in 000000 none.
 */
export function phoneNumbersResponse(whatsappBusinessAccountId: string, query: URLSearchParams): Response {
  const first = whatsappBusinessAccountId.endsWith("000003") ? ["2", "3", "4"] : ["2"];
  const ids = whatsappBusinessAccountId.endsWith("000000") ? [] : first;
  const numbers = ids.map((digit) => phoneNumber(`${digit}${whatsappBusinessAccountId.slice(1)}`));
  return Response.json({ data: numbers.map((number) => pick(number, query.get("fields"), DEFAULT_FIELDS)) });
}

/** `+44 20 7946 0xxx`, which are never assigned; the last digits are derived from the id. */
export function displayPhoneNumber(whatsappPhoneNumberId: string): string {
  return `+44 20 7946 0${whatsappPhoneNumberId.slice(-3).padStart(3, "0")}`;
}

/** The accounts that an app subscribes to. Only for reading back: status webhooks go to the configured URL anyway. */
export function createSubscribedApps() {
  const overrides = new Map<string, string | undefined>();
  return {
    read: (accountId: string) => {
      if (!overrides.has(accountId)) return Response.json({ data: [] });
      const override = overrides.get(accountId);
      const app = { whatsapp_business_api_data: { ...SANDBOX_APP, link: "" } };
      return Response.json({ data: [{ ...app, ...(override ? { override_callback_uri: override } : {}) }] });
    },
    subscribe: (accountId: string, body: unknown) => {
      overrides.set(accountId, readOverride(body));
      return Response.json({ success: true });
    },
    unsubscribe: (accountId: string) => {
      overrides.delete(accountId);
      return Response.json({ success: true });
    },
  };
}

const Override = z.strictObject({
  override_callback_uri: text(MAX_CHARACTERS.callbackAddress, { code: 100 })
    .pipe(address())
    .refine((uri) => uri.startsWith("https:"), { error: "must be an https URL.", params: { code: 100 } }),
  verify_token: z.string(),
});

function readOverride(body: unknown): string | undefined {
  if (body === undefined || (isRecord(body) && Object.keys(body).length === 0)) return undefined;
  if (!isRecord(body)) throw new GraphError(100, "The request body must be a JSON object.");
  return parseShape(Override, body).override_callback_uri;
}

/** The health of a number, by the end of its id. */
const FORTUNES: Record<string, { quality_rating: string; status: string }> = {
  "000220": { quality_rating: "YELLOW", status: "CONNECTED" },
  "000230": { quality_rating: "RED", status: "CONNECTED" },
  "000231": { quality_rating: "RED", status: "BANNED" },
};

const phoneNumber = (id: string) => ({
  id,
  display_phone_number: displayPhoneNumber(id),
  verified_name: "Sandbox Shop",
  ...(FORTUNES[id.slice(-6)] ?? { quality_rating: "GREEN", status: "CONNECTED" }),
  code_verification_status: "VERIFIED",
  name_status: "APPROVED",
  account_mode: "SANDBOX",
  platform_type: "CLOUD_API",
  throughput: { level: "STANDARD" },
  whatsapp_business_manager_messaging_limit: "TIER_2K",
  // Of an account, which is read at the same path.
  owner_business_info: { id: "100000000000001", name: "Sandbox portfolio" },
});
