import { useId } from "react";
import { DataTable } from "@/app/_components/panels";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { axisEnd, type Bar, SERIES, type Series, totalsOf } from "@/lib/messages/status-series";

const HEIGHT = 160;
const SLOT = 20;
const GAP = 2;

type Props = { bars: Bar[]; words: (bucket: string) => string; caption: string };

/**
 * Messages in bars of their current statuses; the table has the same numbers. Drawn by the server as SVG: a library
 * for charts would be a third of a page's script, and this one reads without any.
 */
export function StatusChart({ bars, words, caption }: Props) {
  const end = axisEnd(bars);
  const totals = totalsOf(bars);
  const [first, middle, last] = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)];
  return (
    <figure>
      <ul className="mb-4 flex flex-wrap gap-x-8 gap-y-2">
        {SERIES.toReversed().map((series) => (
          <li key={series}>
            <span className="block text-lg font-semibold tabular-nums">{formatNumber(totals[series])}</span>
            <span className="inline-flex items-center gap-1.5 text-sm text-muted">
              <Mark series={series} />
              {wordOf(series)}
            </span>
          </li>
        ))}
      </ul>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-sm text-muted tabular-nums">
        <div className="flex flex-col justify-between text-end">
          <span>{formatNumber(end)}</span>
          <span>{formatNumber(end / 2)}</span>
          <span>0</span>
        </div>
        <div className="relative">
          <svg
            aria-hidden="true"
            viewBox={`0 0 ${bars.length * SLOT} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="h-40 w-full border-y border-hairline"
          >
            <defs>
              <pattern id="failed-hatch" width="6" height="6" patternUnits="userSpaceOnUse">
                <rect width="6" height="6" className={FILLS.FAILED} />
                <path d="M0 6 6 0" className={HATCH} />
              </pattern>
            </defs>
            <line
              x1="0"
              x2={bars.length * SLOT}
              y1={HEIGHT / 2}
              y2={HEIGHT / 2}
              className="stroke-hairline"
              vectorEffect="non-scaling-stroke"
            />
            {bars.map((bar, i) => (
              <BarParts key={bar.bucket} bar={bar} x={i * SLOT} end={end} />
            ))}
          </svg>
          <Values bars={bars} words={words} caption={caption} />
        </div>
        <span />
        <div className="mt-1 flex justify-between">
          {[first, middle, last].map((bar) => (bar ? <span key={bar.bucket}>{words(bar.bucket)}</span> : null))}
        </div>
      </div>
      <figcaption className="mt-3 text-sm text-muted">{caption}.</figcaption>
    </figure>
  );
}

function Mark({ series }: { series: Series }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 10 10" className="size-2.5">
      <rect width="10" height="10" rx="2" className={FILLS[series]} />
      {series === "FAILED" ? <path d="M0 10 10 0M-3 3 3-3M7 13l6-6" className={HATCH} /> : null}
    </svg>
  );
}

/**
 * The values of each bar, below the pointer or the focus. Radio buttons are one stop of the Tab key and have the arrow
 * keys without a script; which one is chosen means nothing.
 */
function Values({ bars, words, caption }: Props) {
  const name = useId();
  return (
    <fieldset className="absolute inset-0 grid auto-cols-fr grid-flow-col">
      <legend className="sr-only">{caption}: values, by the arrow keys</legend>
      {bars.map((bar, i) => {
        const shown = SERIES.filter((series) => bar.counts[series] > 0).toReversed();
        const parts = shown.map((series) => `${wordOf(series)} ${formatNumber(bar.counts[series])}`);
        return (
          <label
            key={bar.bucket}
            className="group relative hover:bg-ink/5 has-focus-visible:bg-ink/5 has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              defaultChecked={i === bars.length - 1}
              aria-label={`${words(bar.bucket)}: ${parts.join(", ") || "no messages"}`}
              className="sr-only"
            />
            <span
              aria-hidden="true"
              className={`pointer-events-none absolute top-1 z-10 hidden min-w-36 rounded-control border border-hairline bg-page p-2 text-sm text-ink shadow-md group-hover:block group-has-focus-visible:block ${i < bars.length / 2 ? "start-full" : "end-full"}`}
            >
              <span className="block font-medium whitespace-nowrap">{words(bar.bucket)}</span>
              {shown.length === 0 ? <span className="text-muted">No messages</span> : null}
              {shown.map((series) => (
                <span key={series} className="flex items-center gap-1.5 whitespace-nowrap">
                  <Mark series={series} />
                  <span className="grow text-muted">{wordOf(series)}</span>
                  {formatNumber(bar.counts[series])}
                </span>
              ))}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function BarParts({ bar, x, end }: { bar: Bar; x: number; end: number }) {
  let top = HEIGHT;
  const shown = SERIES.filter((series) => bar.counts[series] > 0);
  return (
    <g>
      {shown.map((series) => {
        const height = (bar.counts[series] / end) * HEIGHT;
        top -= height;
        return (
          <rect
            key={series}
            x={x + SLOT * 0.15}
            y={top}
            width={SLOT * 0.7}
            height={Math.max(0.5, height - (height > 2 * GAP ? GAP : 0))}
            {...(series === "FAILED" ? { fill: "url(#failed-hatch)" } : { className: FILLS[series] })}
          />
        );
      })}
    </g>
  );
}

const number = (count: number) => <span className="tabular-nums">{formatNumber(count)}</span>;

export function StatusTable({ bars, words, caption }: Props) {
  return (
    <DataTable
      caption={caption}
      rows={bars.toReversed()}
      rowKey={({ bucket }) => bucket}
      columns={{
        When: ({ bucket }) => words(bucket),
        ...Object.fromEntries(SERIES.map((series) => [wordOf(series), ({ counts }: Bar) => number(counts[series])])),
        All: ({ total }) => number(total),
      }}
    />
  );
}

const wordOf = (series: Series): string => (series === "PENDING" ? "Pending or unknown" : sentenceCase(series));

const FILLS: Record<Series, string> = {
  PENDING: "fill-bar-pending",
  SENT: "fill-bar-sent",
  DELIVERED: "fill-bar-delivered",
  READ: "fill-bar-read",
  FAILED: "fill-bar-failed",
};

const HATCH = "fill-none stroke-page stroke-[1.2]";
