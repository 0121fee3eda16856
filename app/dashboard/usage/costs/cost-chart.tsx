import { amountIn, type CostCounts, type Costs, NOTHING } from "@/lib/costs/cost-counts";
import { formatCostBucket } from "@/lib/costs/cost-range";
import { amountOf, formatMoney, unitsOf } from "@/lib/costs/money";
import type { Bar } from "@/lib/messages/usage/status-series";
import { BarChart, type BarPart } from "../../_components/bar-chart";

type Props = { costs: Costs; buckets: readonly string[]; timeZone: string };

/** What each day or month is estimated to cost in one currency. */
export function MoneyChart({ costs, buckets, timeZone, currency }: Props & { currency: string }) {
  const amounts = new Map(costs.time.map((counts) => [counts.id, amountIn(counts.costs, currency)]));
  const bars = buckets.map((bucket): Bar<"cost"> => {
    const cost = Number(unitsOf(amounts.get(bucket) ?? "0") / UNITS_OF_HEIGHT);
    return { bucket, total: cost, counts: { cost } };
  });
  const money = (amount: string) => formatMoney({ currency, amount });
  const isOneOfSeveral = costs.total.costs.length > 1;
  return (
    <BarChart
      bars={bars}
      parts={[{ id: "cost", word: `Estimated cost in ${currency}`, fill: "fill-bar-sent" }]}
      words={formatCostBucket}
      values={{
        axis: (height) => money(amountOf(BigInt(height) * UNITS_OF_HEIGHT)),
        total: () => money(amountIn(costs.total.costs, currency)),
        of: ({ bucket }) => money(amounts.get(bucket) ?? "0"),
        none: "no costs",
      }}
      caption={`Estimated cost in ${currency} by creation date, ${timeZone}${isOneOfSeveral ? "; other currencies are in the table" : ""}`}
    />
  );
}

/** A bar is as high as its cost in the smallest part of a price: only its height is a double, never its words. */
const UNITS_OF_HEIGHT = unitsOf("0.00000001");

type PartId = "billable" | "free" | "other";

const PARTS: BarPart<PartId>[] = [
  { id: "other", word: "Due on delivery", fill: "fill-bar-pending" },
  { id: "free", word: "Free", fill: "fill-bar-sent" },
  { id: "billable", word: "Billable", fill: "fill-bar-read" },
];

/** The messages of each day or month, with WhatsApp's pricing. */
export function MessagesChart({ costs, buckets, timeZone }: Props) {
  const known = new Map<string, CostCounts>(costs.time.map((counts) => [counts.id, counts]));
  const bars = buckets.map((bucket): Bar<PartId> => {
    const { messages: total, billable, free } = known.get(bucket) ?? NOTHING;
    return { bucket, total, counts: { billable, free, other: total - billable - free } };
  });
  const caption = `Messages by creation date, with WhatsApp’s pricing, ${timeZone}`;
  return <BarChart bars={bars} parts={PARTS} words={formatCostBucket} caption={caption} />;
}
