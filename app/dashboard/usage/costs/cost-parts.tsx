import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { DataTable, Notice, Section, UsageBar } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import type { WorkspaceId } from "@/lib/core/principal";
import { formatNumber } from "@/lib/core/text";
import { budgetMark, usedPercent } from "@/lib/costs/budget";
import type { CostCounts } from "@/lib/costs/cost-counts";
import { formatCostBucket } from "@/lib/costs/cost-range";
import { formatMoney } from "@/lib/costs/money";
import { findBudget, type RateCardFacts } from "@/lib/costs/queries";
import type { Bar } from "@/lib/messages/usage/status-series";
import { BarChart, type BarPart } from "../../_components/bar-chart";

/** An estimated cost, one amount for each currency. */
export function Money({ counts: { costs, unpriced, billable } }: { counts: CostCounts }) {
  const amounts = costs.map(formatMoney).join(" and ");
  return (
    <span className="tabular-nums">
      {amounts || (billable === 0 ? "none" : "")}
      {unpriced > 0 ? (
        <Muted>
          {amounts ? " and " : ""}
          {formatNumber(unpriced)} without a price
        </Muted>
      ) : null}
    </span>
  );
}

type PartId = "billable" | "free" | "other";

const PARTS: BarPart<PartId>[] = [
  { id: "other", word: "Not delivered", fill: "fill-bar-pending" },
  { id: "free", word: "Free", fill: "fill-bar-sent" },
  { id: "billable", word: "Billable", fill: "fill-bar-read" },
];

const undelivered = ({ messages, billable, free }: CostCounts): number => messages - billable - free;

const NONE: Omit<CostCounts, "id"> = { messages: 0, billable: 0, free: 0, costs: [], unpriced: 0 };

type ChartProps = {
  buckets: string[];
  series: CostCounts[];
  timeZone: string;
  view: "chart" | "table";
  hasCard: boolean;
};

/** The counts by day or month, as a chart or as a table of the same numbers. */
export function CostChart({ buckets, series, timeZone, view, hasCard }: ChartProps) {
  const known = new Map(series.map((counts) => [counts.id, counts]));
  const rows = buckets.map((id) => known.get(id) ?? { ...NONE, id });
  const caption = `Messages by creation date, with WhatsApp’s pricing, ${timeZone}`;
  if (view === "table")
    return (
      <DataTable
        caption={caption}
        rows={rows.toReversed()}
        columns={{ When: ({ id }) => formatCostBucket(id), ...columnsOf(hasCard) }}
      />
    );
  const bars = rows.map((counts): Bar<PartId> => {
    const { id: bucket, messages: total, billable, free } = counts;
    return { bucket, total, counts: { billable, free, other: undelivered(counts) } };
  });
  return <BarChart bars={bars} parts={PARTS} words={formatCostBucket} caption={caption} />;
}

type TableProps = {
  of: string;
  rows: CostCounts[];
  hasCard: boolean;
  nameOf?: (id: string) => string;
  /** The name of the row for messages without an id. */
  unnamed?: string;
};

const MOST = 100;

export function CostTable({ of, rows, hasCard, nameOf = (id) => id, unnamed = "" }: TableProps) {
  const heading = of.replace(/^./, (letter) => letter.toUpperCase());
  return (
    <Section title={`By ${of}`}>
      <DataTable
        caption={`Messages with pricing by ${of}`}
        rows={rows.slice(0, MOST)}
        columns={{
          [heading]: {
            className: "sm:min-w-48",
            cell: ({ id }) => (
              <span className="line-clamp-2 wrap-anywhere">{id === "" ? <Muted>{unnamed}</Muted> : nameOf(id)}</span>
            ),
          },
          ...columnsOf(hasCard),
        }}
      />
    </Section>
  );
}

function columnsOf(hasCard: boolean) {
  const numbers = (cell: (counts: CostCounts) => ReactNode) => ({ className: "whitespace-nowrap tabular-nums", cell });
  return {
    Messages: numbers(({ messages }) => formatNumber(messages)),
    Billable: numbers(({ billable }) => formatNumber(billable)),
    Free: numbers(({ free }) => formatNumber(free)),
    "Not delivered": numbers((counts) => formatNumber(undelivered(counts))),
    ...(hasCard ? { "Estimated cost": (counts: CostCounts) => <Money counts={counts} /> } : {}),
  };
}

type BudgetProps = { card: RateCardFacts; workspaceId: WorkspaceId };

/** How much of the month's budget the live messages are estimated to cost, and a warning from 80 % on. */
export async function BudgetUse({ card, workspaceId }: BudgetProps) {
  const use = card.budget === null ? undefined : await findBudget(workspaceId);
  if (!use) return null;
  const { budget, currency, spent } = use;
  const mark = budgetMark({ spent, limit: budget });
  const amounts = `${formatMoney({ currency, amount: spent })} of ${formatMoney({ currency, amount: budget })}`;
  const text = `${amounts} of this month’s budget, as estimated. Amounts in other currencies are not part of it.`;
  if (mark)
    return (
      <Notice
        tone={mark === 100 ? "bad" : "caution"}
        action={<TextLink href="/dashboard/usage/rate-card">Change the budget</TextLink>}
      >
        {text}
      </Notice>
    );
  return (
    <div className="max-w-xl">
      <p className="mb-1.5">{text}</p>
      <UsageBar
        used={usedPercent({ spent, limit: budget })}
        limit={100}
        label="Share of the budget that is used, as estimated"
      />
    </div>
  );
}
