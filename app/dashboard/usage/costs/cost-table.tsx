import type { ReactNode } from "react";
import { CsvLink } from "@/app/_components/button";
import { type Column, DataTable, NUMBERS, Section } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import { formatNumber, sentenceCase } from "@/lib/core/text";
import type { CostLine } from "@/lib/costs/cost-counts";
import { formatCostBucket } from "@/lib/costs/cost-range";
import { formatAmount } from "@/lib/costs/money";
import type { CostReport, CostTableName } from "@/lib/costs/report-queries";

type TableProps = { of: CostTableName; report: CostReport };

/** A table of the report with a column for each currency, one for what has no price if anything has none, and the sum. */
export function CostTable({ of, report }: TableProps) {
  const table = report.tables[of];
  if (!table) return null;
  const { currencies, decimals, lines } = table;
  const money = (currency: string, index: number): Column<CostLine> => ({
    className: NUMBERS,
    ...(index === 0 ? { place: "end" as const } : {}),
    cell: ({ amounts }) => (
      <>
        <span className="max-sm:hidden">
          {amounts[currency] === undefined ? (
            <Muted>–</Muted>
          ) : (
            formatAmount(amounts[currency], decimals[currency] ?? 2)
          )}
        </span>
        {index === 0 ? <AllAmounts amounts={amounts} decimals={decimals} /> : null}
      </>
    ),
  });
  return (
    <DataTable
      caption={of === "time" ? "Costs by creation date" : `Costs by ${of}`}
      rows={lines}
      rowKey={({ kind, id }) => `${kind} ${id}`}
      isLastSum
      columns={{
        [of === "time" ? "When" : sentenceCase(of)]: {
          className: "sm:min-w-48",
          cell: (line) => nameOf(report, of, line),
        },
        ...Object.fromEntries(currencies.map((currency, index) => [currency, money(currency, index)])),
        Billable: { className: NUMBERS, cell: ({ billable }) => formatNumber(billable) },
        ...(report.card && report.costs.total.unpriced > 0
          ? { "Without a price": { className: NUMBERS, cell: ({ unpriced }: CostLine) => formatNumber(unpriced) } }
          : {}),
        Free: { className: NUMBERS, cell: ({ free }) => formatNumber(free) },
        "Due on delivery": { className: NUMBERS, cell: ({ undelivered }) => formatNumber(undelivered) },
        Messages: {
          className: `${NUMBERS} max-sm:text-start`,
          place: "below",
          cell: (line) => messagesOf(line, report),
        },
      }}
    />
  );
}

/** On a telephone a row is its name and its amounts, above the number of its messages. */
function AllAmounts({ amounts, decimals }: Pick<CostLine, "amounts"> & { decimals: Record<string, number> }) {
  const all = Object.entries(amounts).map(
    ([currency, amount]) => `${formatAmount(amount, decimals[currency] ?? 2)} ${currency}`,
  );
  return (
    <span className="grid justify-items-end sm:hidden">
      {all.length === 0 ? "–" : all.map((one) => <span key={one}>{one}</span>)}
    </span>
  );
}

function messagesOf({ messages, unpriced }: CostLine, { card }: CostReport): ReactNode {
  const missing = card && unpriced > 0 ? `, ${formatNumber(unpriced)} without a price` : "";
  return (
    <>
      {formatNumber(messages)}
      <span className="text-muted sm:hidden">{`${messages === 1 ? " message" : " messages"}${missing}`}</span>
    </>
  );
}

function nameOf(report: CostReport, of: CostTableName, line: CostLine) {
  const name = report.nameOf(of, line);
  const isNone = line.kind !== "named" || line.id === "";
  return (
    <span className="line-clamp-2 wrap-anywhere">
      {isNone && line.kind !== "total" ? (
        <Muted>{name}</Muted>
      ) : of === "time" && !isNone ? (
        formatCostBucket(name)
      ) : (
        name
      )}
    </span>
  );
}

type SectionProps = {
  of: CostTableName;
  title: string;
  /** The address of a file. */
  csv: (file: Record<string, string>) => string;
  children: ReactNode;
};

/** A table's part of the page, with the table as a file. */
export function CostSection({ of, title, csv, children }: SectionProps) {
  return (
    <Section
      title={title}
      aside={
        <span className="flex gap-2">
          <CsvLink href={csv({ by: of })} label={`CSV ${title.toLowerCase()}`} />
          <CsvLink
            href={csv({ by: of, decimal: "comma" })}
            word="CSV 1,50"
            label={`CSV 1,50 with decimal commas, ${title.toLowerCase()}`}
          />
        </span>
      }
    >
      {children}
    </Section>
  );
}
