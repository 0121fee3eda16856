import { queueUnseen } from "@/lib/phone-numbers/queue-reads";
import type { TemplateEvent } from "@/lib/whatsapp/template-webhooks";
import { recordTemplateEvents } from "./record-template-events";
import { wakeReaders } from "./run-due-reads";

/**
 * Applies WhatsApp's events to our stored templates, and queues a read of each template that turns out to
 * be missing. Returns the events of accounts without a live line.
 */
export async function receiveTemplateEvents(events: TemplateEvent[]): Promise<TemplateEvent[]> {
  const unknown = new Set(await recordTemplateEvents(events));
  const { connected, isQueued } = await queueUnseen(
    events.map((event) => ({ ...event, isGone: isGone(event), isOpen: isOpen(event), status: statusOf(event) })),
  );
  // Try the unknown ones again: a read may have stored them since.
  await recordTemplateEvents([...unknown]);
  if (isQueued) wakeReaders();
  return events.filter((event, index) => unknown.has(event) && !connected.has(index));
}

const isGone = ({ change }: TemplateEvent): boolean =>
  change.kind === "status" && (change.status === "DELETED" || change.status === "PENDING_DELETION");

const statusOf = ({ change }: TemplateEvent): string | null => (change.kind === "status" ? change.status : null);

const isOpen = ({ change }: TemplateEvent): boolean => change.kind === "status" && change.status === null;
