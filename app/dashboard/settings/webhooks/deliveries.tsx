import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { DataTable } from "@/app/_components/panels";
import { Chip, type Chips, Muted } from "@/app/_components/text";
import { dayHeading, TimeOfDay, Timestamp } from "@/app/_components/timestamp";
import { pageMember } from "@/lib/auth/page-member";
import { shortId } from "@/lib/core/text";
import type { DeliveryRow, DeliveryState, LastAttempt } from "@/lib/outgoing/delivery-queries";
import { subjectOf } from "@/lib/outgoing/events/event-types";

export function DeliveryStateChip({ state }: { state: DeliveryState }) {
  return <Chip {...LOOKS[state]} />;
}

/** The same in a list, where a delivered event needs no chip. */
export function DeliveryStateMark({ state }: { state: DeliveryState }) {
  return state === "DELIVERED" ? <Muted>Delivered</Muted> : <DeliveryStateChip state={state} />;
}

const LOOKS: Chips<DeliveryState> = {
  PENDING: { tone: "pending", icon: "clock", word: "Waiting" },
  DELIVERED: { tone: "good", icon: "checks", word: "Delivered" },
  FAILED: { tone: "bad", icon: "cross", word: "Failed" },
};

/** What an endpoint answered: only with a 2xx is the event delivered. */
export function ResponseChip({ statusCode }: Pick<LastAttempt, "statusCode">) {
  if (statusCode === null) return <Chip tone="bad" icon="cross" word="No response" />;
  const isTaken = statusCode >= 200 && statusCode < 300;
  return <Chip tone={isTaken ? "good" : "bad"} icon={isTaken ? "check" : "cross"} word={String(statusCode)} />;
}

/** In a list: a 2xx without a chip, with the first line of the answer, or why there was none. */
function Response(attempt: LastAttempt) {
  const { statusCode } = attempt;
  const isTaken = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const line = attempt.firstLine || attempt.failure;
  return (
    <span className="flex min-w-0 items-center gap-2">
      {isTaken ? <Muted>{statusCode}</Muted> : <ResponseChip statusCode={statusCode} />}
      {line ? (
        <span className="min-w-0 truncate font-mono text-sm text-muted" dir="auto">
          {line}
        </span>
      ) : null}
    </span>
  );
}

type Attempts = { attempts: number; leasedUntil: Date | null };

export function isUnderWay({ leasedUntil }: Pick<Attempts, "leasedUntil">): boolean {
  return leasedUntil !== null && leasedUntil.getTime() > Date.now();
}

export function attemptsInWords({ attempts, leasedUntil }: Attempts): string {
  if (isUnderWay({ leasedUntil })) return "Attempt under way";
  if (attempts === 0) return "No attempt yet";
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
}

type Props = { at: Date | null; isPaused: boolean; withDay?: boolean };

/** When a waiting delivery is attempted next; without the day only where that is today. */
export function NextAttempt({ at, isPaused, withDay = true }: Props) {
  if (isPaused) return <>after a resume</>;
  if (at === null) return <>after its earlier events</>;
  return at.getTime() <= Date.now() ? <>now</> : <Timestamp at={at} withDay={withDay || dayHeading(at) !== "Today"} />;
}

/** The message, contact or template that an event is about; a test event is about nothing. */
export function SubjectLink({ type, subjectId }: { type: string; subjectId: string }) {
  const place = PLACES[subjectOf(type)];
  if (!place) return <Muted>–</Muted>;
  return (
    <TextLink href={`${place}/${subjectId}`}>
      <span title={subjectId}>{shortId(subjectId)}</span>
    </TextLink>
  );
}

const PLACES: Record<string, string> = {
  message: "/dashboard/messages",
  contact: "/dashboard/contacts",
  template: "/dashboard/templates",
};

type DeliveryTableProps = { path: string; deliveries: DeliveryRow[]; isPaused: boolean; empty: ReactNode };

export function DeliveryTable({ path, deliveries, isPaused, empty }: DeliveryTableProps) {
  return (
    <DataTable
      caption={`Deliveries to this endpoint, newest first, times in ${pageMember().workspace.timeZone}`}
      rows={deliveries}
      empty={empty}
      href={({ id }) => `${path}/deliveries/${id}`}
      groupOf={({ createdAt }) => dayHeading(createdAt)}
      columns={{
        Event: {
          className: "sm:w-[22%] sm:max-w-0",
          cell: ({ type }) => <span className="block truncate">{type}</span>,
        },
        About: {
          className: "sm:whitespace-nowrap",
          cell: ({ type, subjectId }) => <SubjectLink type={type} subjectId={subjectId} />,
        },
        State: {
          place: "below",
          cell: ({ state, nextAttemptAt, ...delivery }) => (
            <span className="flex flex-wrap items-center gap-x-2 sm:whitespace-nowrap">
              <DeliveryStateMark state={state} />
              {state === "DELIVERED" && delivery.attempts === 1 ? null : (
                <span className="text-sm text-muted">
                  {attemptsInWords(delivery)}
                  {state === "PENDING" && !isUnderWay(delivery) ? (
                    <>
                      , next <NextAttempt at={nextAttemptAt} isPaused={isPaused} withDay={false} />
                    </>
                  ) : null}
                </span>
              )}
            </span>
          ),
        },
        Response: {
          className: "sm:w-[25%] sm:max-w-0",
          place: "belowEnd",
          cell: ({ lastAttempt }) => (lastAttempt ? <Response {...lastAttempt} /> : <Muted>–</Muted>),
        },
        Time: { place: "end", cell: ({ createdAt }) => <TimeOfDay at={createdAt} /> },
      }}
    />
  );
}
