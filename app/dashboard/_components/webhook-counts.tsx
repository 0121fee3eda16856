import { percentileWords } from "@/lib/core/duration-scale";
import { formatNumber } from "@/lib/core/text";
import type { WebhookTraffic } from "@/lib/incoming/queries";

type Props = { traffic: WebhookTraffic | undefined; refusedSignatures: number };

/** What webhooks brought for a line in a day, in one line of counts. */
export function WebhookCounts({ traffic, refusedSignatures }: Props) {
  const counts = {
    processed: traffic?.taken,
    "from contacts": traffic?.inbound,
    duplicates: traffic?.duplicates,
    "out of order": traffic?.outOfOrder,
    unmatched: traffic?.unmatched,
  };
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
      {Object.entries(counts).map(([word, count]) => (
        <li key={word} className={count ? "" : "text-muted"}>
          {formatNumber(count ?? 0)} {word}
        </li>
      ))}
      <li className={refusedSignatures ? "font-medium text-danger" : "text-muted"}>
        {formatNumber(refusedSignatures)} bad signature
      </li>
    </ul>
  );
}

/** From WhatsApp's time of a status to its receipt; dashes while there are too few to say. */
export function WebhookLag({ traffic }: Pick<Props, "traffic">) {
  const lags = traffic?.lags ?? [];
  return (
    <span className="whitespace-nowrap tabular-nums">
      p50 {percentileWords(lags, 0.5)} · p95 {percentileWords(lags, 0.95)}
    </span>
  );
}
