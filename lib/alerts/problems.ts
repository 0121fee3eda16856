import type { Template } from "@/db/schema";
import { ALERT_UNUSED_DAYS, type KeyAge, ROTATE_AFTER_DAYS, UNUSED_AFTER_DAYS } from "@/lib/api-keys/key-age";
import { durationWords } from "@/lib/core/duration-scale";
import { dateFormat } from "@/lib/core/local-time";
import { sentenceCase } from "@/lib/core/text";
import { budgetMark } from "@/lib/costs/budget";
import { formatMoney } from "@/lib/costs/money";
import { monthOf, type QuotaMark, reachedMark } from "@/lib/limits/quota";
import { type EndpointFacts, endpointState } from "@/lib/outgoing/endpoint-queries";
import type { LineProblem } from "@/lib/phone-numbers/health";
import { markOf, type Portfolio, usedPeople } from "@/lib/phone-numbers/portfolios";
import type { AlertKind } from "@/lib/workspaces/alert-kinds";

/** An item that needs attention, and the page to fix it. */
export type Problem = {
  kind: AlertKind;
  /** The line, template, key, endpoint or workspace. */
  subjectId: string;
  /** Distinguishes alerts of one kind and subject. */
  topic: string;
  /** Rises while it gets worse. */
  level: number;
  /** Whether it opens an alert, is only listed on the Overview, or only keeps an alert open that was opened before. */
  weight: "alert" | "listed" | "lasting";
  tone: "bad" | "caution";
  sentence: string;
  href: string;
  action: string;
  /** Messages are refused until it is fixed. */
  stopsSends?: true;
};

export type ProblemFacts = {
  workspaceId: string;
  lines: { id: string; label: string; problems: LineProblem[] }[];
  /** Of live lines; none in test mode. */
  portfolios: Portfolio[];
  templates: TemplateFacts[];
  keys: { id: string; label: string; age: KeyAge }[];
  endpoints: ({ id: string; label: string } & EndpointFacts)[];
  /** Live messages of the month; no limit without one. */
  quota: { used: number; limit: number | null };
  /** What live messages of the month are estimated to cost; undefined without a budget. */
  budget: { spent: string; limit: string; currency: string } | undefined;
  /** Why the mail server refuses to take the workspace's e-mails; undefined where none waits for it. */
  mailRefused: string | undefined;
  /** The last 15 minutes. */
  recent: { messages: number; failed: number };
  now: Date;
};

/** A template that cannot be sent, or was recategorized. */
type TemplateFacts = Pick<Template, "id" | "name" | "language" | "status" | "category" | "previousCategory"> & {
  /** Whether WhatsApp reported it within the last week. */
  isRecentStatus: boolean;
  isRecentCategory: boolean;
};

const announced = { topic: "", level: 0, weight: "alert" as const };

export function quotaProblems({ workspaceId, quota: { used, limit }, now }: ProblemFacts): Problem[] {
  const mark: QuotaMark | undefined = reachedMark(used, limit);
  if (mark === undefined) return [];
  const place = { ...announced, href: "/dashboard/settings/plan", action: "See the plan" };
  const fact = { kind: "quota.used" as const, subjectId: workspaceId, ...place, level: mark };
  if (mark < 100) return [{ ...fact, tone: "caution", sentence: `At least ${mark} % of the monthly limit is used.` }];
  const day = dateFormat({ timeZone: "UTC", day: "numeric", month: "long" }).format(monthOf(now).endsAt);
  const sentence = `The monthly limit is reached. Live messages are blocked until ${day} (UTC) or a higher limit.`;
  return [{ ...fact, tone: "bad", stopsSends: true, sentence }];
}

export function budgetProblems({ workspaceId, budget }: ProblemFacts): Problem[] {
  const mark = budget && budgetMark(budget);
  if (!mark) return [];
  const amount = formatMoney({ amount: budget.limit, currency: budget.currency });
  const place = { ...announced, href: "/dashboard/usage/costs", action: "See the costs" };
  const fact = { kind: "budget.used" as const, subjectId: workspaceId, ...place, level: mark };
  const cost = "This month’s messages are estimated to cost";
  return mark === 100
    ? [{ ...fact, tone: "bad", sentence: `${cost} the whole budget of ${amount}. They are still sent.` }]
    : [{ ...fact, tone: "caution", sentence: `${cost} at least ${mark} % of the budget of ${amount}.` }];
}

export function mailProblems({ workspaceId, mailRefused }: ProblemFacts): Problem[] {
  if (mailRefused === undefined) return [];
  const place = { ...announced, href: "/dashboard/account#alerts", action: "See what is e-mailed" };
  const sentence = `The mail server refuses this deployment (${mailRefused}). E-mails of the workspace, such as alerts and invitations, wait until its operator fixes that.`;
  return [{ kind: "mail.refused", subjectId: workspaceId, ...place, tone: "caution", sentence }];
}

/** A share of failures needs so many messages to mean something. */
const MIN_MESSAGES = 20;
/** Percent of the messages of the last 15 minutes. Below the second the alert closes. */
const FAILURES = { high: 20, closeBelow: 10 };

export function failureProblems({ workspaceId, recent: { messages, failed } }: ProblemFacts): Problem[] {
  const percent = messages === 0 ? 0 : (100 * failed) / messages;
  if (percent < FAILURES.closeBelow) return [];
  const isHigh = messages >= MIN_MESSAGES && percent >= FAILURES.high;
  const weight = isHigh ? "alert" : "lasting";
  const tone = percent >= 50 && isHigh ? "bad" : "caution";
  const sentence = `${Math.round(percent)} % of the ${messages} messages of the last 15 minutes failed.`;
  const place = { ...announced, href: "/dashboard/messages?status=FAILED", action: "See failed messages" };
  return [{ kind: "failures.high", subjectId: workspaceId, ...place, weight, tone, sentence }];
}

const REMEDIES: Record<LineProblem["remedy"], string> = {
  replaceToken: "Replace the token",
  subscribe: "Subscribe the app",
  check: "Run the check",
  webhooks: "See the WhatsApp connection",
  templates: "See templates",
  manager: "See the line",
};

export function lineProblems({ id, label, problems }: ProblemFacts["lines"][number]): Problem[] {
  return problems.flatMap(({ kind, tone, sentence, remedy, title: _, ...problem }) => {
    if (tone === "info" || kind === undefined) return [];
    const isElsewhere = remedy === "webhooks" || remedy === "templates";
    const href = isElsewhere ? `/dashboard/${remedy}` : `/dashboard/phone-numbers/${id}`;
    const place = { subjectId: id, ...announced, href, action: REMEDIES[remedy] };
    return [{ kind, ...place, ...problem, tone, sentence: `Line ${label}: ${sentence}` }];
  });
}

export function portfolioProblems(portfolio: Portfolio): Problem[] {
  const mark = markOf(portfolio);
  if (mark === undefined) return [];
  const used = `Messaging limit of ${portfolio.name}: ${usedPeople(portfolio)} were messaged first in the last 24 hours`;
  const place = { ...announced, href: "/dashboard/phone-numbers#limits", action: "See the limit" };
  const fact = { kind: "account.limit" as const, subjectId: portfolio.id, ...place, level: mark };
  const replies = "replies within a person’s 24 hours are still sent";
  return mark === 100
    ? [{ ...fact, tone: "bad", sentence: `${used}. WhatsApp refuses more; ${replies}.` }]
    : [{ ...fact, tone: "caution", sentence: `${used}. At the limit WhatsApp refuses more.` }];
}

const OUT_OF_USE: Record<string, AlertKind> = {
  REJECTED: "template.rejected",
  PAUSED: "template.paused",
  DISABLED: "template.disabled",
};

export function templateProblems(template: TemplateFacts): Problem[] {
  const { id, name, language, status, category, previousCategory } = template;
  const place = { subjectId: id, ...announced, href: `/dashboard/templates/${id}` };
  const kind = OUT_OF_USE[status];
  const subject = `Template ${name} (${language})`;
  const found: Problem[] = [];
  if (kind) {
    const weight = template.isRecentStatus ? "alert" : "lasting";
    const tone = status === "DISABLED" ? "bad" : "caution";
    const sentence = `${subject}: ${sentenceCase(status).toLowerCase()} by WhatsApp, so it cannot be sent.`;
    found.push({ kind, ...place, weight, tone, sentence, action: "See why" });
  }
  if (template.isRecentCategory) {
    const sentence = `${subject}: WhatsApp changed its category from ${previousCategory ?? "another one"} to ${category}. ${costOf(template)}`;
    found.push({ kind: "template.recategorized", ...place, tone: "caution", sentence, action: "See the template" });
  }
  return found;
}

function costOf({ category, previousCategory }: TemplateFacts): string {
  const refused = previousCategory ? ` Sends that expect ${previousCategory} are refused.` : "";
  return category === "MARKETING"
    ? `A marketing message usually costs more, and people can turn these off.${refused}`
    : `Its price changes with it.${refused}`;
}

export function keyProblems({ id, label, age }: ProblemFacts["keys"][number]): Problem[] {
  const place = { subjectId: id, ...announced, tone: "caution" as const, href: `/dashboard/settings/api-keys/${id}` };
  if (age.isUnused) {
    const sentence = `Key ${label} was not used for ${UNUSED_AFTER_DAYS} days. Revoke keys that are no longer needed.`;
    const weight = age.unusedDays >= ALERT_UNUSED_DAYS ? "alert" : "listed";
    return [{ kind: "key.unused", ...place, weight, sentence, action: "See the key" }];
  }
  if (!age.isDue) return [];
  const sentence = `The secret of key ${label} is ${age.days} days old; change it every ${ROTATE_AFTER_DAYS} days.`;
  return [{ kind: "key.old", ...place, sentence, action: "Rotate" }];
}

/** Longer than a deployment of the endpoint's server. */
const FAILING_LONG_MS = 15 * 60_000;

export function endpointProblems({ id, label, ...facts }: ProblemFacts["endpoints"][number], now: Date): Problem[] {
  const place = { subjectId: id, ...announced, href: `/dashboard/settings/webhooks/${id}`, action: "See the endpoint" };
  const paused = { kind: "endpoint.paused" as const, ...place, tone: "bad" as const };
  const webhook = `Webhook ${label}`;
  switch (endpointState(facts)) {
    case "pausedGone":
      return [{ ...paused, sentence: `${webhook} returned 410 Gone and is paused. Its events wait.` }];
    case "pausedFailing":
      return [{ ...paused, sentence: `${webhook} failed for five days and is paused. Its events wait.` }];
    case "failing": {
      const sinceMs = facts.failingSince ? now.getTime() - facts.failingSince.getTime() : 0;
      if (sinceMs <= FAILING_LONG_MS) return [];
      const sentence = `${webhook} has failed for ${durationWords(sinceMs)}. Each event is retried for three days.`;
      return [{ kind: "endpoint.failing", ...place, tone: "caution", sentence }];
    }
    default:
      return [];
  }
}
