import { onDatabase } from "@/db/client";
import type { AccountEvent, PhoneNumberEvent } from "@/lib/whatsapp/account-webhooks";

/** Keeps what the platform says of single numbers; answers with the events about numbers that are not ours. */
export const recordPhoneNumberEvents = async (events: PhoneNumberEvent[]): Promise<PhoneNumberEvent[]> => {
  const homeless: PhoneNumberEvent[] = [];
  for (const event of events) {
    const rows = await onDatabase(
      ({ $client: sql }) => sql`
        update phone_numbers set platform_event = ${event.event}, updated_at = now(),
          verified_name = coalesce(${event.verifiedName}, verified_name)
        where whatsapp_business_account_id = ${event.whatsappBusinessAccountId}
          and regexp_replace(display_phone_number, '\\D', '', 'g') = ${event.displayPhoneNumber}
        returning id`,
      { pool: "webhooks" },
    );
    if (rows.length === 0) homeless.push(event);
  }
  return homeless;
};

/** Keeps what the platform says of a business account at each of its lines; answers with the events about others. */
export const recordAccountEvents = async (events: AccountEvent[]): Promise<AccountEvent[]> => {
  const homeless: AccountEvent[] = [];
  for (const event of events) {
    const words = event.detail === null ? event.event : `${event.event}: ${event.detail}`;
    const rows = await onDatabase(
      ({ $client: sql }) => sql`
        update phone_numbers set platform_event = ${words}, updated_at = now()
        where whatsapp_business_account_id = ${event.whatsappBusinessAccountId}
        returning id`,
      { pool: "webhooks" },
    );
    if (rows.length === 0) homeless.push(event);
  }
  return homeless;
};
