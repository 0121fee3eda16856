import { onDatabase } from "@/db/client";
import type { AccountEvent, PhoneNumberEvent } from "@/lib/whatsapp/account-webhooks";

/** An event of one number, or of all numbers of its account. */
type LineEvent = {
  account: string;
  /** Digits; null where it concerns every line of the account. */
  number: string | null;
  words: string;
  verified_name: string | null;
  at: Date;
};

/** Stores what WhatsApp reports of single numbers; returns the events about numbers that are not ours. */
export const recordPhoneNumberEvents = (events: PhoneNumberEvent[]): Promise<PhoneNumberEvent[]> =>
  record(events, ({ whatsappBusinessAccountId, displayPhoneNumber, event, verifiedName, occurredAt }) => ({
    account: whatsappBusinessAccountId,
    number: displayPhoneNumber,
    words: event,
    verified_name: verifiedName,
    at: occurredAt,
  }));

/** Stores what WhatsApp reports of a business account at each of its lines; returns the events about other accounts. */
export const recordAccountEvents = (events: AccountEvent[]): Promise<AccountEvent[]> =>
  record(events, ({ whatsappBusinessAccountId, event, detail, occurredAt }) => ({
    account: whatsappBusinessAccountId,
    number: null,
    words: detail === null ? event : `${event}: ${detail}`,
    verified_name: null,
    at: occurredAt,
  }));

/** All in one statement: of several events about a line the last by its own time stays. */
const record = async <T>(events: T[], toLineEvent: (event: T) => LineEvent): Promise<T[]> => {
  if (events.length === 0) return [];
  const rows = events.map((event, index) => ({ index, ...toLineEvent(event) }));
  const known = await onDatabase(
    ({ $client: sql }) => sql<{ index: number }[]>`
      with event as (
        select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as event (
          index int, account text, number text, words text, verified_name text, at timestamptz)
      ), meant as (
        select line.workspace_id, line.id, event.* from event
        join phone_numbers line on line.whatsapp_business_account_id = event.account
          and (event.number is null or regexp_replace(line.display_phone_number, '\\D', '', 'g') = event.number)
      ), latest as (
        select workspace_id, id, (array_agg(words order by at desc, index desc))[1] as words,
          (array_agg(verified_name order by at desc, index desc) filter (where verified_name is not null))[1] as verified_name
        from meant group by workspace_id, id
      ), locked as (
        -- In one order, so that two groups about the same lines never end in a deadlock.
        select p.workspace_id, p.id from phone_numbers p join latest using (workspace_id, id)
        order by p.workspace_id, p.id for no key update of p
      ), moved as (
        update phone_numbers p set platform_event = latest.words, updated_at = now(),
          verified_name = coalesce(latest.verified_name, p.verified_name)
        from latest join locked using (workspace_id, id)
        where p.workspace_id = latest.workspace_id and p.id = latest.id
      )
      select distinct index from meant`,
    { pool: "webhooks" },
  );
  const ours = new Set(known.map(({ index }) => index));
  return events.filter((_, index) => !ours.has(index));
};
