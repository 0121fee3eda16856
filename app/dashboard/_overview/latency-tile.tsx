import { type BucketCount, durationWords, LEAST_SAMPLES, percentileOf, sampleCount } from "@/lib/core/duration-scale";
import { formatNumber } from "@/lib/core/number";
import type { Durations } from "@/lib/messages/usage-queries";
import { RANGE_WORDS, type UsageFilters, unnarrowedWords } from "@/lib/messages/usage-range";
import { Tile } from "./tile";

const ROWS = { ours: "Switchboard", platform: "WhatsApp", delivery: "Delivery" } as const;

type Props = { durations: Durations; filters: UsageFilters };

/** Durations are kept by neither line nor key. */
export function LatencyTile({ durations, filters }: Props) {
  const range = RANGE_WORDS[filters.range].toLowerCase();
  return (
    <Tile name={`How long it takes, ${range}${unnarrowedWords(filters, ["line", "key"])}`}>
      <table className="w-full text-start">
        <caption className="sr-only">Durations of sends and deliveries</caption>
        <thead>
          <tr className="text-xs text-muted">
            <th scope="col" className="text-start font-medium">
              Part
            </th>
            {["p50", "p95", "n"].map((heading) => (
              <th key={heading} scope="col" className="ps-3 text-end font-medium">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(["ours", "platform", "delivery"] as const).map((kind) => (
            <tr key={kind}>
              <th scope="row" className="py-1 text-start font-normal">
                {ROWS[kind]}
              </th>
              <td className="ps-3 text-end whitespace-nowrap">{shown(durations[kind], 0.5)}</td>
              <td className="ps-3 text-end whitespace-nowrap">{shown(durations[kind], 0.95)}</td>
              <td className="ps-3 text-end text-muted">{formatNumber(sampleCount(durations[kind]))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-1 text-xs text-muted">A dash stands for fewer than {LEAST_SAMPLES} samples.</p>
    </Tile>
  );
}

const shown = (buckets: BucketCount[], share: number): string => {
  const ms = sampleCount(buckets) < LEAST_SAMPLES ? undefined : percentileOf(buckets, share);
  return ms === undefined ? "–" : durationWords(ms);
};
