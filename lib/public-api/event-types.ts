/** Events to subscribe to, written by triggers on `messages` and `templates` (db/migrations/0016). */
export const EVENT_TYPES = [
  "message.sent",
  "message.delivered",
  "message.read",
  "message.failed",
  "message.unknown",
  "template.approved",
  "template.rejected",
  "template.paused",
  "template.disabled",
  "alert.opened",
  "alert.closed",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Short descriptions for the event selection; lib/docs/placeholders.ts makes sentences of them. */
export const EVENT_HINTS: Record<EventType, string> = {
  "message.sent": "WhatsApp accepted the message",
  "message.delivered": "It reached the recipient’s device",
  "message.read": "The recipient opened it",
  "message.failed": "It was refused or could not be delivered",
  "message.unknown": "It may have been sent: WhatsApp gave no usable response",
  "template.approved": "A template can be sent",
  "template.rejected": "WhatsApp rejected a template",
  "template.paused": "WhatsApp paused a template because of its quality",
  "template.disabled": "WhatsApp disabled a template",
  "alert.opened": "A line, a template, the quota, a key or an endpoint needs attention, or more than before",
  "alert.closed": "It no longer does",
};

const GROUPS = ["message", "template", "alert"] as const;

/** The event types by subject. */
export const EVENT_GROUPS = GROUPS.map((about) => ({
  about,
  types: EVENT_TYPES.filter((type) => type.startsWith(`${about}.`)),
}));

/** The events of an endpoint in short: `All message events, template.approved`. */
export function eventsInShort(events: readonly string[]): string {
  if (EVENT_TYPES.every((type) => events.includes(type))) return "All events";
  const parts = EVENT_GROUPS.flatMap(({ about, types }) => {
    const chosen = types.filter((type) => events.includes(type));
    if (chosen.length === types.length) return [`all ${about} events`];
    return chosen.length > 1 ? [`${chosen.length} ${about} events`] : chosen;
  });
  const text = parts.join(", ");
  return text.startsWith("all ") ? `A${text.slice(1)}` : text;
}

/** The events that a Slack channel receives. */
export const ALERT_EVENTS: EventType[] = ["alert.opened", "alert.closed"];

/** Sent only when a member requests it, to any endpoint. */
export const TEST_EVENT = "webhook.test";

/** Replaces the URL of a `listen` session that only prints its events. */
export const PRINTED_ONLY = "listen:";
