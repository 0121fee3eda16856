import { DataTable, NUMBERS, Section } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import type { CardChange, CardChanges } from "@/db/schema";
import { addDays } from "@/lib/core/local-time";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import { toPriceRows, type ValidRate } from "@/lib/costs/card-prices";
import { comparedWith, decimalsOf, formatAmount, formatMoney, type Money } from "@/lib/costs/money";
import { ALWAYS } from "@/lib/costs/rate-card";

/** A first day, as people read it. */
export function dayWords(day: string): string {
  return day === ALWAYS ? "Any day" : day;
}

/** What the last list changed of the prices before it. */
export function Changes({ changes: { shown, changed, same } }: { changes: CardChanges }) {
  const rest = changed - shown.length;
  return (
    <Section title="What the last list changed">
      <p className="mb-3 text-muted">
        {changed === 0 ? "Nothing" : formatNumber(changed)} changed, {formatNumber(same)} stayed the same. A region
        counts once.{rest > 0 ? ` The first ${formatNumber(shown.length)} are shown.` : ""}
      </p>
      {shown.length > 0 ? (
        <DataTable
          caption="Changed prices"
          rows={shown}
          rowKey={({ market, category, from }) => `${market} ${category} ${from}`}
          columns={{
            Market: ({ market }) => market,
            Category: ({ category }) => category,
            Before: { className: NUMBERS, cell: ({ before }) => <Price of={before} /> },
            Now: { className: NUMBERS, cell: ({ after }) => <Price of={after} /> },
            Change: { className: NUMBERS, cell: changeWords },
            "Valid from": ({ from }) => dayWords(from),
          }}
        />
      ) : null}
    </Section>
  );
}

function Price({ of }: { of: Money | null }) {
  return of ? formatMoney(of) : <Muted>none</Muted>;
}

function changeWords({ before, after }: CardChange): string {
  if (!before) return "new";
  if (!after) return "ends";
  if (before.currency !== after.currency) return "other currency";
  return comparedWith(after.amount, before.amount)?.replace(/ than$/, "") ?? "from 0";
}

/** The prices that hold today or later, as WhatsApp's own list has them. */
export function Prices({ rates }: { rates: readonly ValidRate[] }) {
  const rows = toPriceRows(rates);
  const categories = [...new Set(rows.flatMap(({ prices }) => Object.keys(prices)))].toSorted();
  const decimals = decimalsOf(rows.flatMap(({ prices }) => Object.values(prices)));
  if (rows.length === 0) return null;
  return (
    <Section title="Prices of today and later">
      <DataTable
        caption="Prices by market, with the days on which they are valid"
        rows={rows}
        rowKey={({ market, currency, validFrom }) => `${market} ${currency} ${validFrom}`}
        columns={{
          Market: { className: "sm:min-w-40", cell: ({ market }) => market },
          ...Object.fromEntries(
            categories.map((category) => [
              sentenceCase(category),
              {
                className: NUMBERS,
                cell: ({ prices: { [category]: price } }: (typeof rows)[number]) =>
                  price === undefined ? <Muted>–</Muted> : formatAmount(price, decimals),
              },
            ]),
          ),
          Currency: ({ currency }) => currency,
          "Valid from": ({ validFrom }) => dayWords(validFrom),
          Until: ({ validUntil }) => (validUntil === null ? "–" : addDays(validUntil, -1)),
        }}
      />
    </Section>
  );
}
