import { type KeyAge, ROTATE_AFTER_DAYS, UNUSED_AFTER_DAYS } from "@/lib/api-keys/key-age";
import { durationWords } from "@/lib/core/duration-scale";
import { sentenceCase } from "@/lib/core/text";
import { type EndpointFacts, endpointState } from "@/lib/outgoing/endpoint-queries";
import type { LineProblem } from "@/lib/phone-numbers/health";
import type { QuotaMark } from "@/lib/workspaces/quota";

/** An item that needs attention, and the page to fix it. */
export type Attention = { tone: "bad" | "caution"; sentence: string; href: string; action: string };

export type AttentionFacts = {
  lines: { id: string; label: string; problems: LineProblem[] }[];
  /** Templates that WhatsApp recently took out of use. */
  templates: { id: string; name: string; language: string; status: string }[];
  /** Empty for members who may not see keys. */
  keys: { id: string; label: string; age: KeyAge }[];
  /** Empty for members who may not see endpoints. */
  endpoints: ({ id: string; label: string } & EndpointFacts)[];
  quotaMark: QuotaMark | undefined;
  now: Date;
};

/** Returns what needs attention, most severe first. */
export function attentionOf(facts: AttentionFacts): Attention[] {
  const all = [
    ...quotaAttention(facts.quotaMark),
    ...facts.lines.flatMap(lineAttention),
    ...facts.templates.map(templateAttention),
    ...facts.keys.flatMap(keyAttention),
    ...facts.endpoints.flatMap((endpoint) => endpointAttention(endpoint, facts.now)),
  ];
  return all.toSorted((one, other) => Number(one.tone !== "bad") - Number(other.tone !== "bad"));
}

const quotaAttention = (mark: QuotaMark | undefined): Attention[] => {
  if (mark === undefined) return [];
  const place = { href: "/dashboard/settings/plan", action: "See the plan" };
  return mark === 100
    ? [
        {
          tone: "bad",
          sentence: "The monthly limit is reached. Live messages are blocked until next month or a higher limit.",
          ...place,
        },
      ]
    : [{ tone: "caution", sentence: `More than ${mark} % of the monthly limit is used.`, ...place }];
};

const REMEDIES: Record<LineProblem["remedy"], string> = {
  replaceToken: "Replace the token",
  subscribe: "Subscribe the app",
  check: "Run the check",
  webhooks: "Check the WhatsApp connection",
  templates: "See templates",
  manager: "See the line",
};

const lineAttention = ({ id, label, problems }: AttentionFacts["lines"][number]): Attention[] =>
  problems.flatMap(({ tone, sentence, remedy }) =>
    tone === "info"
      ? []
      : [{ tone, sentence: `Line ${label}: ${sentence}`, href: hrefOf(remedy, id), action: REMEDIES[remedy] }],
  );

const hrefOf = (remedy: LineProblem["remedy"], id: string): string => {
  if (remedy === "webhooks") return "/dashboard/webhooks";
  return remedy === "templates" ? "/dashboard/templates" : `/dashboard/phone-numbers/${id}`;
};

const templateAttention = ({ id, name, language, status }: AttentionFacts["templates"][number]): Attention => ({
  tone: status === "DISABLED" ? "bad" : "caution",
  sentence: `Template ${name} (${language}): ${sentenceCase(status).toLowerCase()} by WhatsApp, so it cannot be sent.`,
  href: `/dashboard/templates/${id}`,
  action: "See why",
});

const keyAttention = ({ id, label, age }: AttentionFacts["keys"][number]): Attention[] => {
  const place = { tone: "caution" as const, href: `/dashboard/settings/api-keys/${id}` };
  if (age.isUnused) {
    const sentence = `Key ${label} was not used for ${UNUSED_AFTER_DAYS} days. Revoke keys that are no longer needed.`;
    return [{ ...place, sentence, action: "See the key" }];
  }
  if (!age.isDue) return [];
  const sentence = `The secret of key ${label} is ${age.days} days old; change it every ${ROTATE_AFTER_DAYS} days.`;
  return [{ ...place, sentence, action: "Rotate" }];
};

/** Longer than a deployment of the endpoint's server. */
const FAILING_LONG_MS = 15 * 60_000;

const endpointAttention = ({ id, label, ...facts }: AttentionFacts["endpoints"][number], now: Date): Attention[] => {
  const place = { href: `/dashboard/settings/webhooks/${id}`, action: "See the endpoint" };
  const webhook = `Webhook ${label}`;
  switch (endpointState(facts)) {
    case "pausedGone":
      return [{ tone: "bad", sentence: `${webhook} returned 410 Gone and is paused. Its events wait.`, ...place }];
    case "pausedFailing":
      return [{ tone: "bad", sentence: `${webhook} failed for five days and is paused. Its events wait.`, ...place }];
    case "failing": {
      const sinceMs = facts.failingSince ? now.getTime() - facts.failingSince.getTime() : 0;
      if (sinceMs <= FAILING_LONG_MS) return [];
      const sentence = `${webhook} has failed for ${durationWords(sinceMs)}. Each event is retried for three days.`;
      return [{ tone: "caution", sentence, ...place }];
    }
    default:
      return [];
  }
};
