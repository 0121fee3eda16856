import type { Alert } from "@/db/schema";
import { dateFormat } from "@/lib/core/local-time";
import { sentenceCase } from "@/lib/core/text";
import type { MailPart } from "@/lib/mail/compose-mail";
import type { MailContent, MailedAlert } from "@/lib/mail/queue-mail";
import { type AlertKind, adviceFor } from "@/lib/workspaces/alert-kinds";

/** What an alert's mail is made of. */
export type MailFacts = Pick<Alert, "kind" | "tone" | "sentence" | "action" | "userId" | "openedAt" | "closedAt"> & {
  event: MailedAlert["event"];
  workspace: string;
  timeZone: string;
};

const SEVERITY = {
  bad: "Critical: this needs action now.",
  caution: "Warning: nothing has stopped yet. Look at it within the day.",
};

/** Returns what an alert's mail says: where and what, how bad, since when, and what to do. */
export function alertText(facts: MailFacts): Pick<MailContent, "subject" | "paragraphs"> {
  const { kind, tone, sentence, userId, event, workspace, openedAt, closedAt, timeZone } = facts;
  const isOver = event === "closed";
  // A sign-in is about the account, whichever workspace stores it.
  const place = userId === null ? `${isOver ? "Over in " : ""}${workspace}: ` : "";
  const since = `${timeOf(openedAt, timeZone)}`;
  const when =
    isOver && closedAt
      ? `From ${since} to ${timeOf(closedAt, timeZone)} (${timeZone}).`
      : `Since ${since} (${timeZone}).`;
  const paragraphs = isOver
    ? [`${place}${sentence}`, `It is over. ${when}`]
    : [`${place}${sentence}`, `${SEVERITY[tone]} ${when}`, `What to do: ${adviceFor(kind as AlertKind)}`];
  return { subject: `${place}${sentence}`, paragraphs };
}

const TO_THE_MINUTE = {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const;

const timeOf = (at: Date, timeZone: string): string => dateFormat({ timeZone, ...TO_THE_MINUTE }).format(at);

type Part = MailContent & MailPart;

/**
 * Returns the parts of a person's mail, urgent ones first. Those about one condition that comes and goes are one part: the latest,
 * which says how often it came.
 */
export function gatherAlerts(parts: readonly Part[]): Part[] {
  const latest = new Map<string, Part>();
  for (const [i, part] of parts.entries()) {
    const about = part.alert?.about ?? `${i}`;
    const former = latest.get(about);
    if (!former?.alert || !part.alert || isLater(part.alert, former.alert)) latest.set(about, part);
  }
  const isUrgent = (part: Part) => Number(part.isUrgent ?? false);
  return [...latest.values()].map(withTimes).toSorted((one, other) => isUrgent(other) - isUrgent(one));
}

const isLater = (one: MailedAlert, other: MailedAlert): boolean => Date.parse(one.at) > Date.parse(other.at);

function withTimes(part: Part): Part {
  const times = part.alert?.times ?? 1;
  if (times < 2) return part;
  const often = `${TIMES[times] ?? `${times} times`} in ten minutes`;
  const [first = "", ...rest] = part.paragraphs;
  const flapping = `It came and went ${often}; ${part.alert?.event === "closed" ? "it is over now" : "it is open now"}.`;
  return { ...part, subject: `${sentenceCase(often)}: ${part.subject}`, paragraphs: [first, flapping, ...rest] };
}

const TIMES = [
  "",
  "once",
  "twice",
  "three times",
  "four times",
  "five times",
  "six times",
  "seven times",
  "eight times",
  "nine times",
  "ten times",
];
