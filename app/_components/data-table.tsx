import type { ReactNode } from "react";

export type Column<Row> = { heading: string; cell: (row: Row) => ReactNode; className?: string };

type Props<Row> = {
  caption: string;
  /** The first column names the row. */
  columns: [Column<Row>, ...Column<Row>[]];
  rows: Row[];
  rowKey: (row: Row) => string;
};

/** A table that turns into labelled cards on a phone. */
export function DataTable<Row>({ caption, columns, rows, rowKey }: Props<Row>) {
  const [naming, ...others] = columns;
  return (
    <div className="overflow-x-auto rounded-card border border-hairline">
      <table className="data-table">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ heading }) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              <th scope="row" data-label={naming.heading} className={naming.className}>
                <div>{naming.cell(row)}</div>
              </th>
              {others.map(({ heading, cell, className }) => (
                <td key={heading} data-label={heading} className={className}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
