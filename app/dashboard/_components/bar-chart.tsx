import { useId } from "react";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { axisEnd, type Bar, totalOf } from "@/lib/messages/usage/status-series";

const HEIGHT = 160;
const SLOT = 20;
const GAP = 2;

/** A part of a bar. */
export type BarPart<Id extends string> = { id: Id; word: string; fill: string; isHatched?: boolean };

export type BarChartProps<Id extends string> = {
  bars: readonly Bar<Id>[];
  /** From bottom to top. */
  parts: readonly BarPart<Id>[];
  words: (bucket: string) => string;
  caption: string;
  /** How numbers are written that are no counts of messages. */
  values?: BarValues<Id>;
};

export type BarValues<Id extends string> = {
  /** A height. */
  axis: (height: number) => string;
  /** A part of all bars, and of one. */
  total: (id: Id) => string;
  of: (bar: Bar<Id>, id: Id) => string;
  /** A bar without any: `no messages`. */
  none: string;
};

/**
 * Messages or amounts in bars of their parts; the table beside it has the same numbers. Drawn by the server as SVG: a library
 * for charts would be a third of a page's script, and this one reads without any.
 */
export function BarChart<Id extends string>({
  bars,
  parts,
  words,
  caption,
  values = countsOf(bars),
}: BarChartProps<Id>) {
  const end = axisEnd(bars);
  const [first, middle, last] = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)];
  return (
    <figure>
      <ul className="mb-4 flex flex-wrap gap-x-8 gap-y-2">
        {parts.toReversed().map((part) => (
          <li key={part.id}>
            <span className="block text-lg font-semibold tabular-nums">{values.total(part.id)}</span>
            <span className="inline-flex items-center gap-1.5 text-sm text-muted">
              <Mark part={part} />
              {part.word}
            </span>
          </li>
        ))}
      </ul>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-sm text-muted tabular-nums">
        <div className="flex flex-col justify-between text-end">
          <span>{values.axis(end)}</span>
          <span>{values.axis(end / 2)}</span>
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
                <rect width="6" height="6" className="fill-bar-failed" />
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
              <Column key={bar.bucket} bar={bar} parts={parts} x={i * SLOT} end={end} />
            ))}
          </svg>
          <Values bars={bars} parts={parts} words={words} caption={caption} values={values} />
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

const countsOf = <Id extends string>(bars: readonly Bar<Id>[]): BarValues<Id> => ({
  axis: formatNumber,
  total: (id) => formatNumber(totalOf(bars, id)),
  of: ({ counts }, id) => formatNumber(counts[id]),
  none: "no messages",
});

function Mark({ part: { fill, isHatched } }: { part: BarPart<string> }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 10 10" className="size-2.5">
      <rect width="10" height="10" rx="2" className={fill} />
      {isHatched ? <path d="M0 10 10 0M-3 3 3-3M7 13l6-6" className={HATCH} /> : null}
    </svg>
  );
}

/**
 * The values of each bar, below the pointer or the focus. Radio buttons are one stop of the Tab key and have the arrow
 * keys without a script; which one is chosen means nothing.
 */
function Values<Id extends string>({ bars, parts, words, caption, values }: Required<BarChartProps<Id>>) {
  const name = useId();
  return (
    <fieldset className="absolute inset-0 grid auto-cols-fr grid-flow-col">
      <legend className="sr-only">{caption}: values, by the arrow keys</legend>
      {bars.map((bar, i) => {
        const shown = parts.filter(({ id }) => bar.counts[id] > 0).toReversed();
        const said = shown.map(({ id, word }) => `${word} ${values.of(bar, id)}`);
        return (
          <label
            key={bar.bucket}
            className="group relative hover:bg-ink/5 has-focus-visible:bg-ink/5 has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              defaultChecked={i === bars.length - 1}
              aria-label={`${words(bar.bucket)}: ${said.join(", ") || values.none}`}
              className="sr-only"
            />
            <span
              aria-hidden="true"
              className={`pointer-events-none absolute top-1 z-10 hidden min-w-36 rounded-control border border-hairline bg-page p-2 text-sm text-ink shadow-md group-hover:block group-has-focus-visible:block ${i < bars.length / 2 ? "start-full" : "end-full"}`}
            >
              <span className="block font-medium whitespace-nowrap">{words(bar.bucket)}</span>
              {shown.length === 0 ? <span className="text-muted">{sentenceCase(values.none)}</span> : null}
              {shown.map((part) => (
                <span key={part.id} className="flex items-center gap-1.5 whitespace-nowrap">
                  <Mark part={part} />
                  <span className="grow text-muted">{part.word}</span>
                  {values.of(bar, part.id)}
                </span>
              ))}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

type ColumnProps<Id extends string> = { bar: Bar<Id>; parts: readonly BarPart<Id>[]; x: number; end: number };

function Column<Id extends string>({ bar, parts, x, end }: ColumnProps<Id>) {
  let top = HEIGHT;
  const shown = parts.filter(({ id }) => bar.counts[id] > 0);
  return (
    <g>
      {shown.map(({ id, fill, isHatched }) => {
        const height = (bar.counts[id] / end) * HEIGHT;
        top -= height;
        return (
          <rect
            key={id}
            x={x + SLOT * 0.15}
            y={top}
            width={SLOT * 0.7}
            height={Math.max(0.5, height - (height > 2 * GAP ? GAP : 0))}
            {...(isHatched ? { fill: "url(#failed-hatch)" } : { className: fill })}
          />
        );
      })}
    </g>
  );
}

const HATCH = "fill-none stroke-page stroke-[1.2]";
