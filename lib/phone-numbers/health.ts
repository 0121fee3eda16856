import type { PhoneNumber } from "@/db/schema/business-accounts";
import { durationWords } from "@/lib/core/duration-scale";
import type { AlertKind } from "@/lib/workspaces/alert-kinds";
import { meaningOf, type Notice } from "./notices";

/** The facts that determine a line's health. */
export type HealthFacts = Pick<
  PhoneNumber,
  | "mode"
  | "isActive"
  | "disconnectedAt"
  | "tokenProblem"
  | "tokenCheckedAt"
  | "tokenExpiresAt"
  | "subscribedAt"
  | "qualityRating"
> & {
  /** WhatsApp's latest notice of each kind. */
  notices: readonly Notice[];
  /** Accepted sends without a webhook since; see lib/incoming/queries.ts. */
  silence?: { waiting: number; sinceMs: number } | undefined;
};

/** A problem of a line: a few words and a sentence for an owner, and the one action that fixes it. */
export type LineProblem = {
  /** The kind of alert that it causes; none for information. */
  kind?: AlertKind;
  /** Tells apart problems of one kind. */
  topic?: string;
  /** Rises while it gets worse. */
  level?: number;
  tone: "bad" | "caution" | "info";
  title: string;
  sentence: string;
  /** Nothing can be sent from the line until it is fixed. */
  stopsSends?: true;
  remedy: "replaceToken" | "subscribe" | "check" | "webhooks" | "templates" | "manager";
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const TONES: readonly LineProblem["tone"][] = ["bad", "caution", "info"];
/** Days before a token expires on which it is announced. */
const WARN_DAYS = [14, 7, 1];
const WARN_BEFORE_MS = 14 * DAY_MS;

/** Returns a line's problems, worst first; none for disconnected and test lines. */
export function problemsOf(line: HealthFacts, now: Date): LineProblem[] {
  if (line.disconnectedAt) return [];
  if (line.mode === "test") return silenceProblem(line);
  const problems = [
    ...tokenProblem(line, now),
    ...noticeProblems(line, now),
    ...subscriptionProblem(line),
    ...silenceProblem(line),
    ...qualityProblem(line),
    ...neverChecked(line),
  ];
  return problems.toSorted((one, other) => severityOf(one) - severityOf(other));
}

const severityOf = ({ stopsSends, tone }: LineProblem): number => (stopsSends ? -1 : TONES.indexOf(tone));

function tokenProblem({ tokenProblem: problem, tokenExpiresAt }: HealthFacts, now: Date): LineProblem[] {
  const remedy = "replaceToken";
  if (problem !== null) {
    const sentence = `WhatsApp refuses this line’s token, so every send fails until it is replaced. It said: “${problem}”`;
    return [{ kind: "token.invalid", tone: "bad", title: "Token refused", sentence, remedy, stopsSends: true }];
  }
  if (!tokenExpiresAt) return [];
  const leftMs = tokenExpiresAt.getTime() - now.getTime();
  if (leftMs <= 0) {
    const sentence = "The token has expired, so sends fail until it is replaced.";
    return [{ kind: "token.invalid", tone: "bad", title: "Token expired", sentence, remedy, stopsSends: true }];
  }
  if (leftMs > WARN_BEFORE_MS) return [];
  const left = daysWords(leftMs);
  const level = WARN_DAYS.filter((warned) => leftMs <= warned * DAY_MS).length;
  const sentence = `The token expires in ${left}; sends fail from then on.`;
  return [{ kind: "token.expiring", level, tone: "caution", title: `Token expires in ${left}`, sentence, remedy }];
}

/** Formats the time that a token has left: `6 days`, `30 h`, `90 min`. */
export function daysWords(ms: number): string {
  const days = Math.round(ms / DAY_MS);
  return days >= 2 ? `${days} days` : durationWords(ms);
}

/** Kinds of notices about the number alone; the others are about its business account. */
const OF_THE_NUMBER = new Set(["status", "flag", "name"]);

function alertKindOf(kind: string): AlertKind {
  if (kind === "security") return "line.security";
  if (kind.startsWith("error ")) return "account.error";
  return OF_THE_NUMBER.has(kind) ? "line.status" : "account.restricted";
}

/** A full check that passed after an event proves that the line still has access, despite the event. */
const noticeProblems = ({ notices, tokenCheckedAt, tokenProblem: problem }: HealthFacts, now: Date): LineProblem[] =>
  notices.flatMap((notice): LineProblem[] => {
    const meaning = meaningOf(notice, { now, reachedAt: problem === null ? tokenCheckedAt : null });
    const remedy = notice.kind === "status" ? "check" : "manager";
    return meaning ? [{ kind: alertKindOf(notice.kind), topic: notice.kind, ...meaning, remedy }] : [];
  });

// A line that was not checked yet may already be subscribed.
function subscriptionProblem({ subscribedAt, tokenCheckedAt, tokenProblem: problem }: HealthFacts): LineProblem[] {
  if (subscribedAt || !tokenCheckedAt || problem !== null) return [];
  const sentence = "Our app is not subscribed to this line’s business account, so no delivery or read status arrives.";
  return [{ kind: "line.unsubscribed", tone: "bad", title: "App not subscribed", sentence, remedy: "subscribe" }];
}

function silenceProblem({ silence }: HealthFacts): LineProblem[] {
  if (!silence) return [];
  const { waiting, sinceMs } = silence;
  const sends = waiting === 1 ? "1 send waits" : `${waiting} sends wait`;
  const sentence = `No status webhook for ${durationWords(sinceMs)} while ${sends} for one.`;
  return [{ kind: "webhooks.silent", tone: "bad", title: "No status webhooks", sentence, remedy: "webhooks" }];
}

function qualityProblem({ qualityRating }: HealthFacts): LineProblem[] {
  const words = { YELLOW: "medium", RED: "low" }[qualityRating ?? ""];
  if (!words) return [];
  const sentence = `People block or report this line’s messages: its quality is ${words}, and WhatsApp may lower how many it may send.`;
  const place = { kind: "line.quality", title: `Quality ${words}`, sentence, remedy: "templates" } as const;
  return [words === "low" ? { ...place, tone: "bad", level: 1 } : { ...place, tone: "caution", level: 0 }];
}

function neverChecked({ tokenCheckedAt, tokenProblem: problem }: HealthFacts): LineProblem[] {
  if (tokenCheckedAt || problem !== null) return [];
  const sentence = "This line was not checked with WhatsApp yet.";
  return [{ tone: "info", title: "Not checked yet", sentence, remedy: "check" }];
}
