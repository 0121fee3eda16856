import { isRecord } from "@/lib/is-record";
import { digitsOf, idOf, type WebhookChange, wordOf } from "./webhook-change";

/** Something happened to a line; the platform names it by its number only. */
export type PhoneNumberEvent = {
  whatsappBusinessAccountId: string;
  /** Digits, to be compared with the digits of the stored display number. */
  displayPhoneNumber: string;
  /** The platform's word, such as `THROUGHPUT_UPGRADE`; a name's decision as `NAME_APPROVED`. */
  event: string;
  /** The new display name, only where it was approved. */
  verifiedName: string | null;
  occurredAt: Date;
};

/** Something happened to a business account, and so to all its lines. */
export type AccountEvent = {
  whatsappBusinessAccountId: string;
  /** The platform's word, such as `ACCOUNT_RESTRICTION`; a review's decision as `REVIEW_APPROVED`. */
  event: string;
  /** What the word alone leaves open, such as the state of a ban. */
  detail: string | null;
  occurredAt: Date;
};

/** Reads `phone_number_quality_update` and `phone_number_name_update`; undefined where number or word is missing. */
export const readPhoneNumberEvent = (field: string, change: WebhookChange): PhoneNumberEvent | undefined => {
  const { value, whatsappBusinessAccountId, occurredAt } = change;
  const displayPhoneNumber = digitsOf(value.display_phone_number);
  const isName = field === "phone_number_name_update";
  const word = wordOf(isName ? value.decision : value.event)?.toUpperCase();
  if (displayPhoneNumber === null || word === undefined) return undefined;
  return {
    whatsappBusinessAccountId,
    displayPhoneNumber,
    event: isName ? `NAME_${word}` : word,
    verifiedName: isName && word === "APPROVED" ? wordOf(value.requested_verified_name) : null,
    occurredAt,
  };
};

/** Reads `account_update`, `account_alerts` and `account_review_update`; undefined where there is no word. */
export const readAccountEvent = (field: string, change: WebhookChange): AccountEvent | undefined => {
  const { value, occurredAt } = change;
  const read = readAccountWords(field, value);
  return read && { whatsappBusinessAccountId: accountOf(change), ...read, occurredAt };
};

const readAccountWords = (
  field: string,
  value: Record<string, unknown>,
): Pick<AccountEvent, "event" | "detail"> | undefined => {
  switch (field) {
    case "account_update":
      return wordsOf(value.event, updateDetail(value));
    case "account_alerts": {
      const alert = part(value, "alert_info");
      return wordsOf(alert.alert_type, wordOf(alert.alert_status));
    }
    case "account_review_update": {
      const decision = wordOf(value.decision)?.toUpperCase();
      return decision === undefined ? undefined : { event: `REVIEW_${decision}`, detail: null };
    }
    default:
      return undefined;
  }
};

const wordsOf = (event: unknown, detail: string | null): Pick<AccountEvent, "event" | "detail"> | undefined => {
  const word = wordOf(event)?.toUpperCase();
  return word === undefined ? undefined : { event: word, detail };
};

const updateDetail = (value: Record<string, unknown>): string | null =>
  wordOf(part(value, "ban_info").waba_ban_state) ??
  wordOf(part(value, "violation_info").violation_type) ??
  wordOf(restrictionTypes(value.restriction_info).join(", "));

const restrictionTypes = (restrictions: unknown): string[] =>
  Array.isArray(restrictions)
    ? restrictions.filter(isRecord).flatMap((restriction) => wordOf(restriction.restriction_type) ?? [])
    : [];

/** Partner events come under the partner's own business, and name the business account inside. */
const accountOf = ({ value, whatsappBusinessAccountId }: WebhookChange): string =>
  idOf(part(value, "waba_info").waba_id) ?? whatsappBusinessAccountId;

const part = (value: Record<string, unknown>, key: string): Record<string, unknown> => {
  const inner = value[key];
  return isRecord(inner) ? inner : {};
};
