import { DataTable } from "@/app/_components/data-table";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { DeliveryRow } from "@/lib/outgoing/delivery-queries";
import { attemptsInWords, DeliveryStateChip, isUnderWay, ResponseChip } from "../delivery-chips";
import { NextAttempt } from "../next-attempt";
import { SubjectLink } from "../subject-link";

type Props = { path: string; deliveries: DeliveryRow[]; isPaused: boolean; timeZone: string };

export function DeliveryTable({ path, deliveries, isPaused, timeZone }: Props) {
  return (
    <DataTable
      caption={`Deliveries to this endpoint, newest first, times in ${timeZone}`}
      rows={deliveries}
      rowKey={({ id }) => id}
      columns={[
        {
          heading: "Event",
          cell: ({ id, type }) => (
            <TextLink href={`${path}/deliveries/${id}`} prefetch={false}>
              <code className="font-mono text-sm break-words">{type}</code>
            </TextLink>
          ),
        },
        { heading: "About", cell: ({ type, subjectId }) => <SubjectLink type={type} subjectId={subjectId} /> },
        {
          heading: "State",
          cell: ({ state, nextAttemptAt, ...delivery }) => (
            <div className="grid justify-items-start gap-1">
              <DeliveryStateChip state={state} />
              <p className="text-xs text-muted">
                {attemptsInWords(delivery)}
                {state === "PENDING" && !isUnderWay(delivery) ? (
                  <>
                    , next <NextAttempt at={nextAttemptAt} isPaused={isPaused} timeZone={timeZone} withDay={false} />
                  </>
                ) : null}
              </p>
            </div>
          ),
        },
        {
          heading: "Response",
          cell: ({ lastAttempt }) =>
            lastAttempt ? <ResponseChip {...lastAttempt} /> : <span className="text-muted">–</span>,
        },
        {
          heading: "Time",
          className: "xl:whitespace-nowrap",
          cell: ({ createdAt }) => <Timestamp at={createdAt} timeZone={timeZone} />,
        },
      ]}
    />
  );
}
