import { isRecord } from "@/lib/core/json";
import { constantOf, digitsOf, idOf, tierOf, type WebhookChange, wordOf } from "./wire";

/** Further details of an event. Every field is WhatsApp's own value and may be missing. */
export type NoticeDetail = {
  /** For a ban or an alert. */
  state?: string | null;
  /** The day of a ban, as WhatsApp writes it. */
  date?: string | null;
  restrictions?: Restriction[];
  /** For a violation, a disconnection, a rejected name or an error. */
  reason?: string | null;
  severity?: string | null;
  description?: string | null;
  limit?: string | null;
  /** Meta's id of the person who asked for a new PIN. */
  requester?: string | null;
};

/** `until` is an ISO 8601 timestamp; null if WhatsApp gives no end. */
export type Restriction = { type: string; until: string | null; remediation: string | null };

export type NoticeEvent = {
  whatsappBusinessAccountId: string;
  /** The kind of event; of each kind the latest by `occurredAt` counts. */
  kind: string;
  /** WhatsApp's value, such as `THROUGHPUT_UPGRADE`; a decision as `NAME_APPROVED` or `REVIEW_REJECTED`. */
  event: string;
  detail: NoticeDetail;
  occurredAt: Date;
};

/** An event about a line, which WhatsApp identifies only by its number. */
export type PhoneNumberEvent = NoticeEvent & {
  /** Digits only, to compare with those of the stored display number. */
  displayPhoneNumber: string;
  /** The new display name, only if it was approved. */
  verifiedName: string | null;
};

/** An event about a business account, and so about all its lines. */
export type AccountEvent = NoticeEvent;

/** `QUALITY_KINDS` and `UPDATE_KINDS` group events about the same thing; every other event is its own kind. */
const QUALITY_KINDS: Record<string, string> = {
  FLAGGED: "flag",
  UNFLAGGED: "flag",
  UPGRADE: "limit",
  DOWNGRADE: "limit",
};
const UPDATE_KINDS: Record<string, string> = {
  DISABLED_UPDATE: "ban",
  ACCOUNT_RESTRICTION: "restriction",
  ACCOUNT_VIOLATION: "violation",
  ACCOUNT_DELETED: "deletion",
  PARTNER_ADDED: "partner",
  PARTNER_REMOVED: "partner",
  PARTNER_APP_INSTALLED: "app",
  PARTNER_APP_UNINSTALLED: "app",
  ACCOUNT_OFFBOARDED: "connection",
  ACCOUNT_RECONNECTED: "connection",
};
const MAX_RESTRICTIONS = 20;

/**
 * Parses `phone_number_quality_update`, `phone_number_name_update` and `security`, the PIN of a number's two-step
 * verification: none if number or event is missing. One update may bring a new limit beside its event.
 */
export function readPhoneNumberEvents(field: string, change: WebhookChange): PhoneNumberEvent[] {
  const { value, whatsappBusinessAccountId, occurredAt } = change;
  const displayPhoneNumber = digitsOf(value.display_phone_number);
  if (displayPhoneNumber === null) return [];
  const about = { whatsappBusinessAccountId, displayPhoneNumber, occurredAt, verifiedName: null };
  if (field === "phone_number_name_update") {
    const decision = constantOf(value.decision);
    if (decision === null) return [];
    const verifiedName = decision === "APPROVED" ? wordOf(value.requested_verified_name) : null;
    const reason = decision === "APPROVED" ? null : wordOf(value.rejection_reason);
    return [{ ...about, kind: "name", event: `NAME_${decision}`, detail: { reason }, verifiedName }];
  }
  const event = constantOf(value.event);
  if (event === null) return [];
  if (field === "security") {
    return [{ ...about, kind: "security", event, detail: { requester: idOf(value.requester) } }];
  }
  const kind = QUALITY_KINDS[event] ?? event;
  const limit = limitOf(value);
  const own = { ...about, kind, event, detail: kind === "limit" ? { limit } : {} };
  return limit === null || kind === "limit" ? [own] : [own, { ...about, kind: "limit", event, detail: { limit } }];
}

const MAX_ERRORS = 10;

/**
 * Reads the `errors` of a number or its account, which are about no message: none without a number or code. Only code
 * and title are read, because the details may name a recipient.
 */
export function readAccountErrors({ value, whatsappBusinessAccountId, occurredAt }: WebhookChange): PhoneNumberEvent[] {
  const displayPhoneNumber = digitsOf(part(value, "metadata").display_phone_number);
  if (!Array.isArray(value.errors) || displayPhoneNumber === null) return [];
  const about = { whatsappBusinessAccountId, displayPhoneNumber, occurredAt, verifiedName: null };
  return value.errors.slice(0, MAX_ERRORS).flatMap((error: unknown) => {
    const code = isRecord(error) ? idOf(error.code) : null;
    if (!isRecord(error) || code === null || !/^\d{1,9}$/.test(code)) return [];
    const reason = (wordOf(error.title) ?? wordOf(error.message))?.replace(/\d{7,}/g, "…") ?? null;
    return { ...about, kind: `error ${code}`, event: `ERROR_${code}`, detail: { reason } };
  });
}

/** Since February 2026 the limit may come in another field. */
function limitOf(value: Record<string, unknown>): string | null {
  const { max_daily_conversations_per_business: ofPortfolio, max_daily_conversation_per_phone: ofNumber } = value;
  return tierOf(value.current_limit ?? ofPortfolio ?? ofNumber);
}

/** Reads the event about an account: none if a part of it is missing. */
export function readAccountEvents(field: string, change: WebhookChange): AccountEvent[] {
  const content = readContent(field, change.value);
  return content ? [{ whatsappBusinessAccountId: accountOf(change), ...content, occurredAt: change.occurredAt }] : [];
}

type EventContent = Pick<AccountEvent, "kind" | "event" | "detail">;

function readContent(field: string, value: Record<string, unknown>): EventContent | undefined {
  switch (field) {
    case "account_update":
      return readUpdate(value);
    case "account_alerts":
      return readAlert(value);
    case "account_review_update": {
      const decision = constantOf(value.decision);
      return decision === null ? undefined : { kind: "review", event: `REVIEW_${decision}`, detail: {} };
    }
    case "business_capability_update": {
      // Of the portfolio; WhatsApp reports it to each of its accounts.
      const limit = limitOf(value);
      return limit === null
        ? undefined
        : { kind: "capability", event: "BUSINESS_CAPABILITY_UPDATE", detail: { limit } };
    }
    default:
      return undefined;
  }
}

function readUpdate(value: Record<string, unknown>): EventContent | undefined {
  const event = constantOf(value.event);
  if (event === null) return undefined;
  const kind = isRecord(value.ban_info) ? "ban" : (UPDATE_KINDS[event] ?? event);
  return { kind, event, detail: detailOf(kind, value) };
}

function detailOf(kind: string, value: Record<string, unknown>): NoticeDetail {
  const ban = part(value, "ban_info");
  switch (kind) {
    case "ban":
      return { state: constantOf(ban.waba_ban_state), date: wordOf(ban.waba_ban_date) };
    case "restriction":
      return { restrictions: restrictionsOf(value.restriction_info) };
    case "violation":
      return { reason: wordOf(part(value, "violation_info").violation_type) };
    default:
      return { reason: wordOf(part(value, "disconnection_info").reason) };
  }
}

const restrictionsOf = (restrictions: unknown): Restriction[] =>
  (Array.isArray(restrictions) ? restrictions : [])
    .filter(isRecord)
    .slice(0, MAX_RESTRICTIONS)
    .flatMap(({ restriction_type, expiration, remediation }) => {
      const type = constantOf(restriction_type);
      return type === null ? [] : [{ type, until: endOf(expiration), remediation: wordOf(remediation) }];
    });

/** Parses an end, which lies in the future, so the rule for event times does not apply. */
function endOf(seconds: unknown): string | null {
  const text = typeof seconds === "number" ? String(seconds) : seconds;
  return typeof text === "string" && /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1_000).toISOString() : null;
}

/** The same alert about two numbers counts as two kinds. */
function readAlert(value: Record<string, unknown>): EventContent | undefined {
  const alert = part(value, "alert_info");
  const event = constantOf(alert.alert_type);
  if (event === null) return undefined;
  const entity = idOf(value.entity_id);
  const detail = {
    state: constantOf(alert.alert_status),
    severity: constantOf(alert.alert_severity),
    description: wordOf(alert.alert_description),
  };
  return { kind: ["alert", event, ...(entity === null ? [] : [entity])].join(" "), event, detail };
}

/** Partner events have the partner's own business as entry id, and the business account inside. */
const accountOf = ({ value, whatsappBusinessAccountId }: WebhookChange): string =>
  idOf(part(value, "waba_info").waba_id) ?? whatsappBusinessAccountId;

function part(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const inner = value[key];
  return isRecord(inner) ? inner : {};
}
