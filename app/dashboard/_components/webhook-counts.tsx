import { durationWords, LEAST_SAMPLES, percentileOf, sampleCount } from "@/lib/core/duration-scale";
import { formatNumber } from "@/lib/core/number";
import type { WebhookTraffic } from "@/lib/incoming/queries";

type Props = { traffic: WebhookTraffic | undefined; refusedSignatures: number };

/** What webhooks brought for a line in a day, in one line of counts. */
export function WebhookCounts({ traffic, refusedSignatures }: Props) {
  const counts: [string, number, boolean][] = [
    ["processed", traffic?.taken ?? 0, false],
    ["from contacts", traffic?.inbound ?? 0, false],
    ["duplicates", traffic?.duplicates ?? 0, false],
    ["out of order", traffic?.outOfOrder ?? 0, false],
    ["unmatched", traffic?.unmatched ?? 0, false],
    ["bad signature", refusedSignatures, refusedSignatures > 0],
  ];
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
      {counts.map(([word, count, isBad]) => (
        <li key={word} className={isBad ? "font-medium text-danger" : count === 0 ? "text-muted" : ""}>
          {formatNumber(count)} {word}
        </li>
      ))}
    </ul>
  );
}

/** From WhatsApp's time of a status to its receipt; dashes while there are too few to say. */
export function WebhookLag({ traffic }: Pick<Props, "traffic">) {
  const lags = traffic?.lags ?? [];
  const lagAt = (share: number) => {
    const ms = sampleCount(lags) < LEAST_SAMPLES ? undefined : percentileOf(lags, share);
    return ms === undefined ? "–" : durationWords(ms);
  };
  return (
    <span className="whitespace-nowrap tabular-nums">
      p50 {lagAt(0.5)} · p95 {lagAt(0.95)}
    </span>
  );
}
