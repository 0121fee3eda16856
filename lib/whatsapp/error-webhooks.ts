import { isRecord } from "@/lib/core/json";
import type { PhoneNumberEvent } from "./account-webhooks";
import { digitsOf, idOf, type WebhookChange, wordOf } from "./wire";

const MAX_ERRORS = 10;

/** Reads `security`: the PIN of a number's two-step verification. None if number or event is missing. */
export function readSecurityEvents({ value, ...change }: WebhookChange): PhoneNumberEvent[] {
  const displayPhoneNumber = digitsOf(value.display_phone_number);
  const event = wordOf(value.event)?.toUpperCase();
  if (displayPhoneNumber === null || event === undefined) return [];
  return [
    eventOf(change, { displayPhoneNumber, kind: "security", event, detail: { requester: idOf(value.requester) } }),
  ];
}

/**
 * Reads the `errors` of a number or its account, which are about no message: none without a number or code. Only code
 * and title are read, because the details may name a recipient.
 */
export function readAccountErrors({ value, ...change }: WebhookChange): PhoneNumberEvent[] {
  if (!Array.isArray(value.errors)) return [];
  const displayPhoneNumber = isRecord(value.metadata) ? digitsOf(value.metadata.display_phone_number) : null;
  if (displayPhoneNumber === null) return [];
  return value.errors.slice(0, MAX_ERRORS).flatMap((error: unknown) => {
    const code = isRecord(error) ? idOf(error.code) : null;
    if (!isRecord(error) || code === null || !/^\d{1,9}$/.test(code)) return [];
    const title = wordOf(error.title)?.replace(/\d{7,}/g, "…") ?? null;
    return eventOf(change, {
      displayPhoneNumber,
      kind: `error ${code}`,
      event: `ERROR_${code}`,
      detail: { reason: title },
    });
  });
}

const eventOf = (
  { whatsappBusinessAccountId, occurredAt }: Omit<WebhookChange, "value">,
  event: Pick<PhoneNumberEvent, "displayPhoneNumber" | "kind" | "event" | "detail">,
): PhoneNumberEvent => ({ whatsappBusinessAccountId, occurredAt, verifiedName: null, ...event });
