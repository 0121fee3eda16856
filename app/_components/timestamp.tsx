import { dateFormat } from "@/lib/core/date-format";

type Props = {
  at: Date | null;
  timeZone: string;
  absent?: string;
  withDay?: boolean;
  /** The link takes the focus in its place. */
  isInLink?: boolean;
};

/** A moment in the workspace's own time zone, with more about it on hover and focus (MomentDetails). */
export function Timestamp({ at, timeZone, absent = "–", withDay = true, isInLink = false }: Props) {
  if (!at) return <span className="text-muted">{absent}</span>;
  return (
    <time dateTime={at.toISOString()} tabIndex={isInLink ? undefined : 0} data-moment className="rounded-sm">
      {withDay ? (
        <>
          <span className="whitespace-nowrap">{dateFormat({ timeZone, dateStyle: "medium" }).format(at)}</span>{" "}
        </>
      ) : null}
      <span className="whitespace-nowrap">{dateFormat({ timeZone, timeStyle: "medium" }).format(at)}</span>
    </time>
  );
}
