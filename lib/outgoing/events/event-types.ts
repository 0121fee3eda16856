/**
 * Events to subscribe to, with short descriptions for the selection; lib/docs/placeholders.ts makes sentences of them.
 * They are written with what they are about: by triggers (db/migrations/0016), or by its own statement.
 */
export const EVENT_HINTS = {
  "message.sent": "WhatsApp accepted the message",
  "message.delivered": "It reached the recipient’s device",
  "message.read": "The recipient opened it",
  "message.failed": "It was refused or could not be delivered",
  "message.unknown": "It may have been sent: WhatsApp gave no usable response",
  "message.received": "A person wrote, or chose a button, a row or a flow’s answer",
  "contact.opted_out": "A person wants no more marketing messages",
  "contact.opted_in": "A person allows marketing messages again",
  "contact.changed": "A person has a new number or WhatsApp user id",
  "template.approved": "A template can be sent",
  "template.rejected": "WhatsApp rejected a template",
  "template.paused": "WhatsApp paused a template because of its quality",
  "template.disabled": "WhatsApp disabled a template",
  "alert.opened": "A line, a template, the quota, a key or an endpoint needs attention, or more than before",
  "alert.closed": "It no longer does",
} satisfies Record<string, string>;

export type EventType = keyof typeof EVENT_HINTS;

export const EVENT_TYPES = Object.keys(EVENT_HINTS) as EventType[];

/** The event types by subject. What a person wrote is about them, and not part of what a new endpoint receives. */
export const EVENT_GROUPS = (["message", "contact", "template", "alert"] as const).map((about) => ({
  about,
  types: EVENT_TYPES.filter((type) => subjectOf(type) === about),
}));

/** Returns what an event is about. */
export function subjectOf(type: string): string {
  return type === "message.received" ? "contact" : (type.split(".")[0] ?? "");
}

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

/** What it says. */
export const TEST_MESSAGE = "This endpoint receives the events of Switchboard.";

/** Replaces the URL of a `listen` session that only prints its events. */
export const PRINTED_ONLY = "listen:";
