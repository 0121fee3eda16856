import type { ReactNode } from "react";
import { StatusChip } from "@/app/_components/text";
import { TimelineLine as Line, Timeline } from "@/app/_components/timeline";
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
      <Timeline
        steps={steps.map((step) => ({
          id: step.id,
          title: typeof step.title === "string" ? step.title : <StatusChip {...step.title} />,
          at: <Timestamp at={step.at} absent="Time not known" />,
          below: (
            <>
              <Notes step={step} />
              {step.event && below ? below(step.event, wordOf(step)) : null}
            </>
          ),
        }))}
      />
      {message.events.length === 0 && message.status === "SENT" ? <Waiting since={message.createdAt} /> : null}
    </>
  );
}

function Notes({ step: { at, receivedAt, failure, notes } }: { step: TimelineStep }) {
  return (
    <>
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
