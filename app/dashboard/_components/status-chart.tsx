import { DataTable } from "@/app/_components/panels";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { axisEnd, type Bar, SERIES, type Series, totalsOf } from "@/lib/messages/status-series";

const HEIGHT = 160;
const SLOT = 20;
const GAP = 2;

type Props = { bars: Bar[]; words: (bucket: string) => string; caption: string };

/** Messages in bars of their current statuses. The table has the same numbers. */
export function StatusChart({ bars, words, caption }: Props) {
  const end = axisEnd(bars);
  const totals = totalsOf(bars);
  const [first, middle, last] = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)];
  return (
    <figure>
      <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {SERIES.toReversed().map((series) => (
          <li key={series} className="inline-flex items-center gap-1.5">
            <svg aria-hidden="true" viewBox="0 0 10 10" className="size-2.5">
              <rect width="10" height="10" rx="2" className={FILLS[series]} />
              {series === "FAILED" ? <path d="M0 10 10 0M-3 3 3-3M7 13l6-6" className={HATCH} /> : null}
            </svg>
            {wordOf(series)} <span className="text-muted tabular-nums">{formatNumber(totals[series])}</span>
          </li>
        ))}
      </ul>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-sm text-muted tabular-nums">
        <div className="flex flex-col justify-between text-end">
          <span>{formatNumber(end)}</span>
          <span>{formatNumber(end / 2)}</span>
          <span>0</span>
        </div>
        <svg
          role="img"
          aria-label={`${caption}. ${SERIES.map((series) => `${wordOf(series)} ${formatNumber(totals[series])}`).join(", ")}.`}
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
            <BarParts key={bar.bucket} bar={bar} x={i * SLOT} end={end} word={words(bar.bucket)} />
          ))}
        </svg>
        <span />
        <div className="mt-1 flex justify-between">
          {[first, middle, last].map((bar) => (bar ? <span key={bar.bucket}>{words(bar.bucket)}</span> : null))}
        </div>
      </div>
      <figcaption className="mt-3 text-sm text-muted">{caption}.</figcaption>
    </figure>
  );
}

function BarParts({ bar, x, end, word }: { bar: Bar; x: number; end: number; word: string }) {
  let top = HEIGHT;
  const shown = SERIES.filter((series) => bar.counts[series] > 0);
  return (
    <g>
      <title>{`${word}: ${shown.map((series) => `${wordOf(series)} ${formatNumber(bar.counts[series])}`).join(", ") || "none"}`}</title>
      <rect x={x} y={0} width={SLOT} height={HEIGHT} className="fill-transparent" />
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
