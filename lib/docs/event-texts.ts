import type { EventType } from "@/lib/public-api/event-types";

/** When each event happens, for readers. */
export const EVENT_MEANINGS: Record<EventType, string> = {
  "message.sent": "WhatsApp accepted the message.",
  "message.delivered": "It reached the recipient’s device.",
  "message.read": "The recipient opened it.",
  "message.failed": "It was refused or could not be delivered; `failureReason` says why.",
  "message.unknown":
    "It may have been sent: WhatsApp gave no usable response. Another event follows if that is settled.",
  "template.approved": "A template can be sent.",
  "template.rejected": "WhatsApp rejected a template; `rejectedReason` says why.",
  "template.paused": "WhatsApp paused a template because of its quality.",
  "template.disabled": "WhatsApp disabled a template.",
};

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A duration in its largest unit: `30 s`, `10 min`, `4 h`. */
export function durationWords(seconds: number): string {
  if (seconds >= HOUR) return `${seconds / HOUR} h`;
  return seconds >= MINUTE ? `${seconds / MINUTE} min` : `${seconds} s`;
}
