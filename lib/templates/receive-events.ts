import { queueUnseen } from "@/lib/phone-numbers/queue-reads";
import type { TemplateEvent } from "@/lib/whatsapp/template-webhooks";
import { recordTemplateEvents } from "./record-template-events";
import { wakeReaders } from "./run-due-reads";

/**
 * Applies WhatsApp's events to the templates that are stored here, and queues a read of each one that an event shows to
 * be missing. Returns the events of accounts that no live line belongs to.
 */
export async function receiveTemplateEvents(events: TemplateEvent[]): Promise<TemplateEvent[]> {
  const unknown = new Set(await recordTemplateEvents(events));
  const { connected, isQueued } = await queueUnseen(
    events.map((event) => ({ ...event, isGone: isGone(event), isOpen: isOpen(event), status: statusOf(event) })),
  );
  // A read may have stored one of them since.
  await recordTemplateEvents([...unknown]);
  if (isQueued) wakeReaders();
  return events.filter((event, index) => unknown.has(event) && !connected.has(index));
}

const isGone = ({ change }: TemplateEvent): boolean =>
  change.kind === "status" && (change.status === "DELETED" || change.status === "PENDING_DELETION");

const statusOf = ({ change }: TemplateEvent): string | null => (change.kind === "status" ? change.status : null);

const isOpen = ({ change }: TemplateEvent): boolean => change.kind === "status" && change.status === null;
