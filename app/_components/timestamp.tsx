import { pageMember } from "@/lib/auth/page-member";
import { dateFormat, dayName, timeAgo } from "@/lib/core/local-time";
import { Muted } from "./text";

type Props = {
  at: Date | null | undefined;
  /** Words in front of the moment, if there is one. */
  before?: string;
  /** Defaults to the workspace's; given on pages outside a workspace. */
  timeZone?: string;
  absent?: string;
  withDay?: boolean;
  withTime?: boolean;
};

/** A moment in the workspace's own time zone, with more about it on hover and focus (MomentDetails). */
export function Timestamp({ at, before, timeZone: given, absent = "–", withDay = true, withTime = true }: Props) {
  if (!at) return <Muted>{absent}</Muted>;
  const timeZone = given ?? pageMember().workspace.timeZone;
  return (
    <>
      {before ? `${before} ` : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard's way to the exact moment */}
      <time dateTime={at.toISOString()} tabIndex={0} data-moment className="rounded-sm">
        {withDay ? (
          <>
            <span className="whitespace-nowrap">{dateFormat({ timeZone, dateStyle: "medium" }).format(at)}</span>{" "}
          </>
        ) : null}
        {withTime ? (
          <span className="whitespace-nowrap">{dateFormat({ timeZone, timeStyle: "medium" }).format(at)}</span>
        ) : null}
      </time>
    </>
  );
}

/** The heading of the rows of a day. */
export function dayHeading(at: Date): string {
  return dayName(at, new Date(), pageMember().workspace.timeZone);
}

/** The time of day, in a row under its day. */
export function TimeOfDay({ at }: { at: Date }) {
  const { timeZone } = pageMember().workspace;
  return (
    <time dateTime={at.toISOString()} className="whitespace-nowrap text-muted">
      {dateFormat({ timeZone, hour: "2-digit", minute: "2-digit" }).format(at)}
    </time>
  );
}

/** The day of a moment, without its year. */
export function Day({ at }: { at: Date }) {
  const { timeZone } = pageMember().workspace;
  return dateFormat({ timeZone, day: "numeric", month: "long" }).format(at);
}

/** A moment in words, in a row whose own page shows the exact time. */
export function Since({ at, absent = "–" }: Pick<Props, "at" | "absent">) {
  if (!at) return <Muted>{absent}</Muted>;
  return (
    <time dateTime={at.toISOString()} className="whitespace-nowrap text-muted">
      {timeAgo(at, new Date())}
    </time>
  );
}

/** A moment in words, exact on hover and focus (MomentDetails). */
export function Ago({ at, absent = "–" }: Pick<Props, "at" | "absent">) {
  if (!at) return <Muted>{absent}</Muted>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard's way to the exact moment
    <time dateTime={at.toISOString()} tabIndex={0} data-moment className="rounded-sm whitespace-nowrap">
      {timeAgo(at, new Date())}
    </time>
  );
}
