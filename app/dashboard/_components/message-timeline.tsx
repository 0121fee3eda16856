import type { ReactNode } from "react";
import { StatusChip } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { pageMember } from "@/lib/auth/page-member";
import { shownReason } from "@/lib/contacts/recipient";
import { durationWords } from "@/lib/core/duration-scale";
import type { MessageWithEvents } from "@/lib/messages/list/log-queries";
import { type TimelineStep, timelineOf } from "@/lib/messages/statuses/timeline";
import { withCode } from "./message-table";

type Props = {
  message: MessageWithEvents;
  /** Shown below an event from WhatsApp; `word` is its status. */
  below?: (event: NonNullable<TimelineStep["event"]>, word: string) => ReactNode;
};

/** What happened in the order in which we learned it; the chip at the top of the page shows where it led. */
export function MessageTimeline({ message, below }: Props) {
  const steps = timelineOf(message);
  return (
    <>
      <ol className="relative grid gap-4 before:absolute before:inset-y-2 before:start-[3px] before:w-px before:bg-hairline">
        {steps.map((step) => (
          <li
            key={step.id}
            className="relative min-w-0 ps-6 before:absolute before:start-0 before:top-[7px] before:size-[7px] before:rounded-full before:bg-control"
          >
            <Step step={step} />
            {step.event && below ? below(step.event, wordOf(step)) : null}
          </li>
        ))}
      </ol>
      {message.events.length === 0 && message.status === "SENT" ? <Waiting since={message.createdAt} /> : null}
    </>
  );
}

function Step({ step: { title, at, receivedAt, failure, notes } }: { step: TimelineStep }) {
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{typeof title === "string" ? title : <StatusChip {...title} />}</span>
        <span className="text-sm text-muted">
          <Timestamp at={at} absent="Time not known" />
        </span>
      </div>
      {receivedAt && at ? (
        <Line>
          Webhook received <Timestamp at={receivedAt} withDay={false} /> ({lag(at, receivedAt)})
        </Line>
      ) : null}
      {failure ? (
        <Line>
          <span className="text-ink">{withCode(shownReason(failure.reason, pageMember().role), failure.code)}</span>
        </Line>
      ) : null}
      {notes.map((note) => (
        <Line key={note}>{note}</Line>
      ))}
    </>
  );
}

const wordOf = ({ title }: TimelineStep): string => (typeof title === "string" ? title : title.status).toLowerCase();

function Line({ children }: { children: ReactNode }) {
  return <p className="mt-0.5 text-sm break-words text-muted">{children}</p>;
}

const PATIENCE_MS = 60_000;

function Waiting({ since }: { since: Date }) {
  const isLong = Date.now() - since.getTime() > PATIENCE_MS;
  return (
    <p className="mt-5 rounded-control bg-surface px-3 py-2 text-sm text-muted">
      {isLong
        ? "No status webhook yet: either WhatsApp has not delivered it (a phone that is off, for instance), or its webhooks do not reach this deployment. The WhatsApp connection shows which."
        : "Waiting for a status from WhatsApp…"}
    </p>
  );
}

/** WhatsApp's times have whole seconds, so less than one is no delay. */
function lag(at: Date, receivedAt: Date): string {
  const ms = receivedAt.getTime() - at.getTime();
  return ms < 1_000 ? "< 1 s" : `${durationWords(ms)} later`;
}
