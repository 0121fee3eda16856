import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import { UsageBar } from "@/app/_components/usage-bar";
import { formatNumber } from "@/lib/core/number";
import { monthOf, outlookOf } from "@/lib/workspaces/quota";
import { Tile } from "./tile";

type Props = { used: number; limit: number | null; now: Date; timeZone: string };

/** Whether the month's messages will last, without arithmetic. */
export function PlanTile({ used, limit, now, timeZone }: Props) {
  const { endsAt } = monthOf(now);
  return (
    <Tile name="Plan, this month" aside={<TextLink href="/dashboard/settings/plan">Plan & limits</TextLink>}>
      <p className="text-2xl font-semibold">
        {formatNumber(used)}{" "}
        <span className="text-base font-normal text-muted">
          {limit === null ? "live messages, no monthly limit" : `of ${formatNumber(limit)}`}
        </span>
      </p>
      {limit === null ? null : (
        <div className="my-2">
          <UsageBar used={used} limit={limit} label="Share of the monthly limit that is used" />
          <div aria-hidden="true" className="relative mt-0.5 h-4 text-xs text-muted">
            <span className="absolute start-1/2 -translate-x-1/2">50</span>
            <span className="absolute start-[80%] -translate-x-1/2">80</span>
            <span className="absolute end-0">100 %</span>
          </div>
        </div>
      )}
      <p className="text-muted">
        {limit === null ? null : <Outlook used={used} limit={limit} now={now} timeZone={timeZone} />}
        Starts again <Timestamp at={endsAt} timeZone={timeZone} /> {timeZone === "UTC" ? "UTC" : "(00:00 UTC)"}
      </p>
    </Tile>
  );
}

function Outlook({ used, limit, now, timeZone }: Props & { limit: number }) {
  const percent = limit === 0 ? 100 : Math.floor((100 * used) / limit);
  const outlook = outlookOf(used, limit, now);
  if (used >= limit) return <span className="block text-danger">Used up: live sends are refused with 402.</span>;
  return (
    <span className="block">
      {percent === 0 && used > 0 ? "Less than 1" : percent} % used ·{" "}
      {outlook === "tooEarly" ? (
        "too early in the month to estimate"
      ) : outlook === "enough" ? (
        "enough for this month at this pace"
      ) : (
        <strong className="font-medium text-caution">
          used up about {outlook.toLocaleDateString("en-GB", { timeZone, day: "numeric", month: "long" })} at this pace
        </strong>
      )}
    </span>
  );
}
