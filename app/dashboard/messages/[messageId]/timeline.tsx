import type { ReactNode } from "react";
import { MessageStatusChip } from "@/app/_components/status-chips";
import { Timestamp } from "@/app/_components/timestamp";
import type { findMessageWithEvents } from "@/lib/dashboard/queries";

type Message = NonNullable<Awaited<ReturnType<typeof findMessageWithEvents>>>;

/** What happened in the order in which it arrived here; the chip at the top of the page shows where it led. */
export function Timeline({ message, timeZone }: { message: Message; timeZone: string }) {
  return (
    <section aria-labelledby="timeline" className="rounded-card border border-hairline p-4 sm:p-5">
      <h2 id="timeline" className="font-semibold">
        Timeline
      </h2>
      <p className="mb-4 text-sm text-muted">In order of arrival, times in {timeZone}</p>
      <ol className="relative grid gap-5 before:absolute before:inset-y-2 before:start-[3px] before:w-px before:bg-hairline">
        <Step title="Received by the API">
          <Timestamp at={message.createdAt} timeZone={timeZone} />
        </Step>
        {message.whatsappMessageId ? (
          <Step title="Accepted by the platform">
            <Timestamp at={message.sentAt} timeZone={timeZone} />
            {message.whatsappMessageStatus && message.whatsappMessageStatus !== "accepted" ? (
              <p>Its word: {message.whatsappMessageStatus}</p>
            ) : null}
          </Step>
        ) : null}
        {message.events.map((event) => (
          <Step key={event.id} title={<MessageStatusChip status={event.status.toUpperCase()} />}>
            <Timestamp at={event.occurredAt} timeZone={timeZone} />
            <span> · arrived {lag(event)}</span>
            {event.failureReason ? (
              <p className="text-ink">
                {event.failureCode ? `${event.failureCode}: ` : ""}
                {event.failureReason}
              </p>
            ) : null}
          </Step>
        ))}
      </ol>
      {message.events.length === 0 && message.status === "SENT" ? (
        <p className="mt-5 rounded-control bg-surface px-3 py-2 text-sm text-muted">
          No status webhook yet: either the platform has not delivered it, or its webhooks do not reach this deployment.
        </p>
      ) : null}
    </section>
  );
}

function Step({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <li className="relative ps-6 before:absolute before:start-0 before:top-[7px] before:size-[7px] before:rounded-full before:bg-control">
      <div className="font-medium">{title}</div>
      <div className="mt-0.5 text-sm text-muted">{children}</div>
    </li>
  );
}

const lag = ({ occurredAt, receivedAt }: { occurredAt: Date; receivedAt: Date }): string => {
  const seconds = Math.round((receivedAt.getTime() - occurredAt.getTime()) / 1_000);
  if (seconds < 2) return "at once";
  if (seconds < 120) return `${seconds} s later`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min later`;
  return `${Math.round(seconds / 3_600)} h later`;
};
