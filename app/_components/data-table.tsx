import type { ReactNode } from "react";

type Cell<Row> = (row: Row) => ReactNode;

/** Columns by their headings; the first one names the row. */
export type Columns<Row> = Record<string, Cell<Row> | { className: string; cell: Cell<Row> }>;

type Props<Row> = {
  caption: string;
  columns: Columns<Row>;
  rows: Row[];
  /** In place of a table without rows. */
  empty?: ReactNode;
} & (Row extends { id: string } ? { rowKey?: (row: Row) => string } : { rowKey: (row: Row) => string });

/** A table that turns into labelled cards on a phone. */
export function DataTable<Row>({ caption, columns, rows, empty, rowKey = idOf }: Props<Row>) {
  if (rows.length === 0 && empty) return empty;
  const all = Object.entries(columns).map(([heading, column], index) => ({
    heading,
    Box: index === 0 ? ("th" as const) : ("td" as const),
    ...(typeof column === "function" ? { cell: column, className: undefined } : column),
  }));
  return (
    <div className="overflow-x-auto rounded-card border border-hairline">
      <table className="data-table">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {all.map(({ heading }) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {all.map(({ heading, Box, cell, className }) => (
                <Box key={heading} scope={Box === "th" ? "row" : undefined} data-label={heading} className={className}>
                  <div>{cell(row)}</div>
                </Box>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const idOf = (row: unknown): string => (row as { id: string }).id;
