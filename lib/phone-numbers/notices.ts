import { sentenceCase } from "@/lib/core/text";
import type { NoticeDetail, Restriction } from "@/lib/whatsapp/account-webhooks";
import { reportOf, shownForMs } from "./account-reports";

/** WhatsApp's latest report of one kind about a line's number or account. */
export type Notice = { kind: string; event: string; detail: NoticeDetail; occurredAt: Date };

/** What a notice means for the line in a few words, and what to do about it in a sentence. */
export type NoticeMeaning = { tone: "bad" | "caution"; title: string; sentence: string; stopsSends?: true };

const DAY_MS = 24 * 60 * 60 * 1_000;
/** WhatsApp ends a flag within seven days, with or without a notice. */
const FLAG_LASTS_MS = 7 * DAY_MS;
/** WhatsApp reports no end of a violation. */
const VIOLATION_SHOWN_MS = 30 * DAY_MS;

/**
 * Returns what the notice means at `now`; undefined if harmless or over. A line whose account was reached after
 * the event (`reachedAt`) still has its access.
 */
export function meaningOf(
  { kind, event, detail, occurredAt }: Notice,
  { now, reachedAt }: { now: Date; reachedAt: Date | null },
): NoticeMeaning | undefined {
  const ageMs = now.getTime() - occurredAt.getTime();
  const isReached = reachedAt !== null && reachedAt > occurredAt;
  switch (kind) {
    case "ban":
      return banMeaning(detail);
    case "restriction":
      return restrictionMeaning(detail.restrictions ?? [], now);
    case "violation":
      return ageMs > VIOLATION_SHOWN_MS ? undefined : caution("Policy violation", violation(detail.reason));
    case "deletion":
    case "partner":
    case "app":
    case "connection":
      return isReached ? undefined : accessMeaning(event, detail);
    case "review":
      return REVIEWS[event];
    case "status":
      return statusMeaning(event);
    case "flag":
      return event === "FLAGGED" && ageMs < FLAG_LASTS_MS ? FLAGGED_NUMBER : undefined;
    case "name":
      return event === "NAME_REJECTED" ? caution("Display name rejected", rejectedName(detail.reason)) : undefined;
    default:
      return kind.startsWith("alert ") ? alertMeaning(event, detail) : reportMeaning({ kind, event, detail }, ageMs);
  }
}

/** Whether it is bad news: of two events in the same second, the bad one wins. */
export function isAlarm(notice: Notice): boolean {
  // As of the day before: also a restriction that ended by the time of the event is bad news.
  return meaningOf(notice, { now: new Date(notice.occurredAt.getTime() - DAY_MS), reachedAt: null }) !== undefined;
}

/** Formats an event for display, such as `Disabled update: disable`. */
export function formatNotice({ event, detail }: Notice): string {
  const more = [
    detail.state ?? detail.reason ?? detail.limit,
    ...(detail.restrictions ?? []).map(({ type }) => type),
  ].flatMap((word) => (word ? [/^[A-Z0-9_ ]+$/.test(word) ? sentenceCase(word).toLowerCase() : word] : []));
  return [sentenceCase(event), more.join(", ")].filter((part) => part !== "").join(": ");
}

const bad = (title: string, sentence: string): NoticeMeaning => ({ tone: "bad", title, sentence });
const caution = (title: string, sentence: string): NoticeMeaning => ({ tone: "caution", title, sentence });
const stop = (title: string, sentence: string): NoticeMeaning => ({ ...bad(title, sentence), stopsSends: true });

function banMeaning({ state, date }: NoticeDetail): NoticeMeaning | undefined {
  if (state === "REINSTATE") return undefined;
  const on = date ? ` on ${date}` : "";
  return state === "SCHEDULE_FOR_DISABLE"
    ? bad(
        "Account will be disabled",
        `WhatsApp will disable this line’s business account${on}; sends fail from then on. Request a review in WhatsApp Manager before that.`,
      )
    : stop(
        "Account disabled",
        `WhatsApp has disabled this line’s business account${on}, so sends are refused. Request a review in WhatsApp Manager; nothing can be sent until it is reinstated.`,
      );
}

type Restricted = { tone: NoticeMeaning["tone"]; words: string; more?: string };

const FORBIDDEN: Record<string, Restricted> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: {
    tone: "bad",
    words: "cannot start conversations",
    more: "Replies within 24 hours of a customer’s message are still sent.",
  },
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: { tone: "bad", words: "cannot reply to customers" },
  RESTRICTED_ADD_PHONE_NUMBER_ACTION: { tone: "caution", words: "cannot add phone numbers" },
};
/** Restrictions of calls do not affect messages. */
const OF_CALLS = /CALL/;

/** Combines several restrictions into one sentence; each one expires at its own time. */
function restrictionMeaning(restrictions: readonly Restriction[], now: Date): NoticeMeaning | undefined {
  const inForce = restrictions.filter(
    ({ type, until }) => !OF_CALLS.test(type) && (until === null || new Date(until) > now),
  );
  if (inForce.length === 0) return undefined;
  const parts = inForce.map(({ type, until }) => {
    const words = FORBIDDEN[type]?.words ?? `is restricted (${sentenceCase(type).toLowerCase()})`;
    return `${words}${until === null ? "" : ` until ${minuteOf(until)}`}`;
  });
  const remedies = [...new Set(inForce.flatMap(({ remediation }) => remediation ?? []))];
  const advice =
    remedies.length > 0 ? `WhatsApp says: “${remedies.join(" ")}”` : "Read the reason in WhatsApp Manager.";
  const more = inForce.flatMap(({ type }) => FORBIDDEN[type]?.more ?? []).map((words) => `${words} `);
  const sentence = `WhatsApp restricts this line’s business account: it ${parts.join("; it ")}. ${more.join("")}${advice}`;
  return inForce.some(({ type }) => FORBIDDEN[type]?.tone !== "caution")
    ? bad("Account restricted", sentence)
    : caution("Account restricted", sentence);
}

const minuteOf = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;

const violation = (reason: string | null | undefined): string =>
  `WhatsApp reports that this line’s business account violated its policy${reason ? ` (${sentenceCase(reason).toLowerCase()})` : ""}. Further violations lead to restrictions. Read the details, or appeal, in WhatsApp Manager.`;

const ACCESS: Record<string, readonly [title: string, sentence: string]> = {
  ACCOUNT_DELETED: [
    "Account deleted",
    "This line’s business account was deleted at WhatsApp, so sends are refused. Connect a line of another account.",
  ],
  PARTNER_REMOVED: [
    "Access removed",
    "Our access to this line’s business account was removed at WhatsApp, so sends fail. Share the account again in Meta Business settings, then run the check.",
  ],
  PARTNER_APP_UNINSTALLED: [
    "App removed",
    "The app was removed from this line’s business account, so sends and status webhooks stop. Install it again, then run the check.",
  ],
  ACCOUNT_OFFBOARDED: [
    "Account disconnected",
    "This line’s business account was disconnected from the WhatsApp API, so sends fail. Connect it again in the WhatsApp Business app or WhatsApp Manager, then run the check.",
  ],
};

function accessMeaning(event: string, { reason }: NoticeDetail): NoticeMeaning | undefined {
  const [title, sentence] = ACCESS[event] ?? [];
  if (title === undefined || sentence === undefined) return undefined;
  return stop(title, reason ? `${sentence} WhatsApp’s reason: ${sentenceCase(reason).toLowerCase()}.` : sentence);
}

const REVIEWS: Record<string, NoticeMeaning> = {
  REVIEW_REJECTED: bad(
    "Review rejected",
    "WhatsApp rejected this line’s business account in its review. Read the reason and appeal in WhatsApp Manager.",
  ),
  REVIEW_DEFERRED: caution(
    "Review deferred",
    "WhatsApp has deferred the review of this line’s business account. See WhatsApp Manager for what is missing.",
  ),
};

/** Statuses in which WhatsApp refuses every send of the number. */
const CANNOT_SEND = new Set(["PENDING", "DISCONNECTED", "BANNED", "DELETED", "MIGRATED", "UNVERIFIED"]);
const RESTRICTED_NUMBER = caution(
  "Number restricted",
  "WhatsApp restricts this number: it reached its limit of new conversations, and can still reply to customers. Sends go out, and WhatsApp decides; the restriction ends on its own.",
);
const FLAGGED_NUMBER = caution(
  "Flagged for low quality",
  "WhatsApp flagged this number for low quality. It can still send; without better quality within seven days WhatsApp lowers its limit. Check what your templates say and who receives them.",
);

/** Whether WhatsApp lets a number in this status send. */
export function canSend(status: string | null): boolean {
  return status === null || !CANNOT_SEND.has(status);
}

/** Returns what a status of the number means, whether from an event or a check. */
export function statusMeaning(status: string): NoticeMeaning | undefined {
  if (CANNOT_SEND.has(status)) {
    const word = sentenceCase(status).toLowerCase();
    return stop(
      `Number ${word}`,
      `WhatsApp reports this number as ${word}. It cannot send until this is resolved in WhatsApp Manager.`,
    );
  }
  if (status === "RESTRICTED" || status === "RATE_LIMITED") return RESTRICTED_NUMBER;
  return status === "FLAGGED" ? FLAGGED_NUMBER : undefined;
}

const rejectedName = (reason: string | null | undefined): string =>
  `WhatsApp rejected this number’s new display name${reason ? ` (${sentenceCase(reason).toLowerCase()})` : ""}. The old name stays; request another one in WhatsApp Manager.`;

function reportMeaning(notice: Omit<Notice, "occurredAt">, ageMs: number): NoticeMeaning | undefined {
  const report = reportOf(notice);
  if (!report || report.tone === "info" || ageMs > shownForMs(notice)) return undefined;
  return { ...report, tone: report.tone };
}

const OVER = new Set(["NONE", "RESOLVED", "INACTIVE", "CLOSED"]);
const NO_NEED = new Set(["INFORMATIONAL", "INFO", "NONE"]);

function alertMeaning(event: string, { state, severity, description }: NoticeDetail): NoticeMeaning | undefined {
  if (OVER.has(state ?? "") || NO_NEED.has(severity ?? "")) return undefined;
  const sentence = `WhatsApp alert: ${sentenceCase(event).toLowerCase()}.${description ? ` “${description}”` : ""} See WhatsApp Manager.`;
  return severity === "CRITICAL" ? bad(sentenceCase(event), sentence) : caution(sentenceCase(event), sentence);
}
