import { DataTable } from "@/app/_components/panels";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { type Bar, SERIES, type Series } from "@/lib/messages/status-series";
import { BarChart, type BarPart } from "./bar-chart";

type Props = { bars: Bar[]; words: (bucket: string) => string; caption: string };

/** Messages in bars of their current statuses. */
export function StatusChart(props: Props) {
  return <BarChart {...props} parts={PARTS} />;
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

const PARTS: BarPart<Series>[] = SERIES.map((id) => ({
  id,
  word: wordOf(id),
  fill: FILLS[id],
  isHatched: id === "FAILED",
}));
