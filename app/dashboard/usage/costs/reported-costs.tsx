import { DataTable, Section } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { formatNumber } from "@/lib/core/text";
import { formatMoney } from "@/lib/costs/cost-counts";
import { formatCostBucket } from "@/lib/costs/cost-range";
import type { Reported } from "@/lib/costs/queries";

/** WhatsApp's own counts beside ours. */
export function ReportedCosts({ rows }: { rows: Reported[] }) {
  return (
    <Section title="WhatsApp’s own count" className="mt-8">
      <p className="mb-4 max-w-prose text-muted">
        Read once a day for each business account, for the last 30 days, and compared from the first day with prices
        here. It has delivered messages of all numbers of the account, also of those that other programs use, and its
        days are those of UTC. Small differences are usual.
      </p>
      <DataTable
        caption="WhatsApp’s own count by business account"
        rows={rows}
        rowKey={({ account }) => account}
        columns={{
          Account: {
            className: "sm:min-w-48",
            cell: ({ account, lines }) => (
              <span className="wrap-anywhere">
                {(lines ?? []).join(", ")} <Muted>{account}</Muted>
              </span>
            ),
          },
          Days: ({ from, until, readAt, lastError }) =>
            from && until ? (
              `${formatCostBucket(from)} – ${formatCostBucket(until)}`
            ) : lastError ? (
              "None"
            ) : (
              <>
                None, read <Timestamp at={readAt} />
              </>
            ),
          WhatsApp: { className: "tabular-nums", cell: ({ volume }) => formatNumber(volume) },
          "Counted here": { className: "tabular-nums", cell: ({ counted }) => formatNumber(counted) },
          Difference: { className: "tabular-nums", cell: differenceOf },
          "WhatsApp’s cost": { className: "tabular-nums", cell: costOf },
        }}
      />
      {rows.map(({ account, lastError }) =>
        lastError ? (
          <p key={account} className="mt-3 text-sm break-words text-muted">
            Account {account} was not read: {lastError} It is tried again once a day.
          </p>
        ) : null,
      )}
    </Section>
  );
}

const differenceOf = ({ from, volume, counted }: Reported) => {
  if (from === null) return "–";
  const difference = volume - counted;
  return difference === 0 ? "None" : `${difference > 0 ? "+" : "−"}${formatNumber(Math.abs(difference))}`;
};

const costOf = ({ cost, currency }: Reported) =>
  cost === null ? (
    <Muted>Not named</Muted>
  ) : (
    formatMoney({ currency: currency ?? "(currency not named)", amount: cost })
  );
