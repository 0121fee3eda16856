import { ButtonLink } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/link";
import { UsageBar } from "@/app/_components/panels";
import { Muted, Unbroken } from "@/app/_components/text";
import { Day, Timestamp } from "@/app/_components/timestamp";
import type { Problem } from "@/lib/alerts/problems";
import { pageMember } from "@/lib/auth/page-member";
import { MIN_SAMPLES, percentileWords, sampleCount } from "@/lib/core/duration-scale";
import type { Mode } from "@/lib/core/principal";
import { formatNumber } from "@/lib/core/text";
import { monthOf, outlookOf } from "@/lib/limits/quota";
import type { Durations } from "@/lib/messages/usage/usage-queries";
import { ignoredFiltersNote, RANGE_LABELS, type UsageFilters } from "@/lib/messages/usage/usage-range";
import { Tile } from "./usage-tiles";

type Props = { used: number; limit: number | null; now: Date };

/** Whether the month's messages will last, without arithmetic. */
export function PlanTile({ used, limit, now, mode }: Props & { mode: Mode }) {
  const { timeZone } = pageMember().workspace;
  const { endsAt } = monthOf(now);
  return (
    <Tile name="Quota, this month" aside={<TextLink href="/dashboard/settings/plan">Plan & limits</TextLink>}>
      <p className="text-xl font-bold tabular-nums">
        {formatNumber(used)}{" "}
        <span className="text-base font-normal text-muted">
          {limit === null
            ? `live ${used === 1 ? "message" : "messages"}, no limit`
            : `of ${formatNumber(limit)} live messages`}
        </span>
      </p>
      {limit === null ? null : (
        <div className="my-2">
          <UsageBar used={used} limit={limit} label="Share of the monthly limit that is used" />
          <div aria-hidden="true" className="relative mt-0.5 h-4 text-sm text-muted">
            <span className="absolute start-1/2 -translate-x-1/2">50</span>
            <span className="absolute start-[80%] -translate-x-1/2">80</span>
            <span className="absolute end-0">100 %</span>
          </div>
        </div>
      )}
      <p className="text-muted">
        {limit === null ? null : <Outlook used={used} limit={limit} now={now} />}
        Starts again <Timestamp at={endsAt} /> {timeZone === "UTC" ? "UTC" : "(00:00 UTC)"}
        {mode === "test" ? <span className="block">Test messages are free and not counted.</span> : null}
      </p>
    </Tile>
  );
}

function Outlook({ used, limit, now }: Props & { limit: number }) {
  const percent = limit === 0 ? 100 : Math.floor((100 * used) / limit);
  const outlook = outlookOf(used, limit, now);
  if (used >= limit)
    return (
      <span className="block text-danger">
        Live messages are blocked until <Day at={monthOf(now).endsAt} /> or a higher limit.
      </span>
    );
  return (
    <span className="block">
      {percent === 0 && used > 0 ? "Less than 1" : percent} % used ·{" "}
      {outlook === "tooEarly" ? (
        "too early in the month to estimate"
      ) : outlook === "enough" ? (
        "enough for this month at this pace"
      ) : (
        <strong className="font-medium text-caution">
          used up about <Day at={outlook} /> at this pace
        </strong>
      )}
    </span>
  );
}

type Row = { name: string; calls: number; limit: number };

type RateLimitTileProps = { address: Row | undefined; apiKey: Row | undefined; resetsAt: Date };

/** How far the busiest address and the busiest key are from their limits, and which of the two will refuse first. */
export function RateLimitTile({ address, apiKey, resetsAt }: RateLimitTileProps) {
  const rows = [address, apiKey].filter((row) => row !== undefined);
  const binding = rows.toSorted((one, other) => remaining(one) - remaining(other))[0];
  return (
    <Tile
      name="Rate limit (15-minute window)"
      aside={
        <span className="text-sm text-muted">
          starts again <Timestamp at={resetsAt} withDay={false} />
        </span>
      }
    >
      {rows.length === 0 ? (
        <p className="text-muted">
          No API call in this window. The server and the key that are closest to their limit appear here.
        </p>
      ) : (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {rows.map((row) => (
            <li key={row.name}>
              <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                <span className="min-w-0 truncate">{row.name}</span>
                <span>
                  {remaining(row)} <Muted>of {row.limit} left</Muted>
                  {row === binding ? <strong className="ms-2 font-medium">reached first</strong> : null}
                </span>
              </p>
              <UsageBar used={row.calls} limit={row.limit} label={`Calls of ${row.name} in this window`} />
            </li>
          ))}
        </ul>
      )}
    </Tile>
  );
}

const remaining = ({ calls, limit }: Row): number => Math.max(0, limit - calls);

const LATENCIES = [
  { kind: "ours", name: "Switchboard" },
  { kind: "platform", name: "WhatsApp" },
  { kind: "delivery", name: "Delivery" },
] as const;

/** Durations are counted for all lines and keys together. */
export function LatencyTile({ durations, filters }: { durations: Durations; filters: UsageFilters }) {
  const range = RANGE_LABELS[filters.range].toLowerCase();
  const isEmpty = LATENCIES.every(({ kind }) => sampleCount(durations[kind]) < MIN_SAMPLES);
  return (
    <Tile name={`How long it takes, ${range}${ignoredFiltersNote(filters, ["line", "key"])}`}>
      {isEmpty ? (
        <p className="text-muted">
          After {MIN_SAMPLES} messages: how long Switchboard, WhatsApp and the delivery to the phone take.
        </p>
      ) : (
        <dl className="grid gap-1">
          {LATENCIES.map(({ kind, name }) => (
            <div key={kind} className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-baseline gap-x-3">
              <dt className="text-muted">{name}</dt>
              <dd>
                {percentileWords(durations[kind], 0.5)}{" "}
                <Muted>· 95 % within {percentileWords(durations[kind], 0.95)}</Muted>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Tile>
  );
}

/** More would push the chart out of sight. */
const SHOWN_PROBLEMS = 3;

export function ProblemList({ items, now }: { items: Problem[]; now: Date }) {
  if (items.length === 0) {
    return (
      <p className="mb-6 flex items-center gap-2 text-good">
        <Icon name="check" />
        <span>
          All clear{" "}
          <Muted>
            · checked <Timestamp at={now} withDay={false} />
          </Muted>
        </span>
      </p>
    );
  }
  return (
    <section aria-labelledby="attention" className="mb-8">
      <h2 id="attention" className="mb-2 font-semibold">
        {items.length === 1 ? "1 thing needs attention" : `${items.length} things need attention`}
      </h2>
      <ul className="grid gap-1">{items.slice(0, SHOWN_PROBLEMS).map(problemRow)}</ul>
      {items.length > SHOWN_PROBLEMS ? (
        <details className="mt-1">
          <summary className="inline-flex cursor-pointer items-center rounded-control px-3 py-1 text-link hover:underline pointer-coarse:min-h-11">
            {items.length - SHOWN_PROBLEMS} more
          </summary>
          <ul className="mt-1 grid gap-1">{items.slice(SHOWN_PROBLEMS).map(problemRow)}</ul>
        </details>
      ) : null}
    </section>
  );
}

function problemRow({ stopsSends, tone, sentence, href, action }: Problem) {
  return (
    <li
      key={`${href} ${sentence}`}
      className={`flex items-start justify-between gap-x-4 gap-y-1 rounded-control px-3 py-2 max-sm:flex-col ${stopsSends ? "bg-bad-fill text-bad" : ""}`}
    >
      <span className="flex min-w-0 gap-2">
        <Icon
          name={stopsSends ? "cross" : "alert"}
          className={`mt-[3px] ${stopsSends ? "" : tone === "bad" ? "text-danger" : "text-caution"}`}
        />
        <span className="min-w-0 break-words">
          {stopsSends ? <strong className="font-semibold">Sending is stopped. </strong> : null}
          <Unbroken text={sentence} />
        </span>
      </span>
      {stopsSends ? (
        <span className="shrink-0 max-sm:ms-6">
          <ButtonLink look="danger" href={href}>
            {action}
          </ButtonLink>
        </span>
      ) : (
        <TextLink href={href} className="shrink-0 max-sm:ms-6">
          {action}
        </TextLink>
      )}
    </li>
  );
}
