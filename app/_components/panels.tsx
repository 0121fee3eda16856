import type { ComponentType, ReactNode } from "react";
import { Heading } from "./heading";
import { Icon, type IconName } from "./icon";
import { Link } from "./link";
import { Unbroken } from "./text";

type Tone = "info" | "good" | "caution" | "bad";

type NoticeProps = { tone?: Tone; className?: string; children: ReactNode; action?: ReactNode };

/** A sentence that must be seen, with what to do about it at its end. */
export function Notice({ tone = "info", className = "", children, action }: NoticeProps) {
  const { look, icon } = TONES[tone];
  return (
    <div
      className={`flex items-center justify-between gap-x-4 gap-y-2 rounded-card px-4 py-3 max-sm:flex-col max-sm:items-start ${look} ${className}`}
    >
      <div className="flex min-w-0 gap-2">
        <Icon name={icon} className="mt-[3px]" />
        <div className="min-w-0 break-words">
          {typeof children === "string" ? <Unbroken text={children} /> : children}
        </div>
      </div>
      {action ? <div className="shrink-0 max-sm:ms-6">{action}</div> : null}
    </div>
  );
}

const TONES: Record<Tone, { look: string; icon: IconName }> = {
  info: { look: "bg-surface text-ink", icon: "info" },
  good: { look: "bg-good-fill text-good", icon: "check" },
  caution: { look: "bg-caution-fill text-caution", icon: "alert" },
  bad: { look: "bg-bad-fill text-bad", icon: "alert" },
};

export function FailurePanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex gap-3 border-s-2 border-danger ps-4">
      <Icon name="alert" className="mt-1 text-danger" />
      <div className="min-w-0">
        <Heading level={2} className="font-semibold">
          {title}
        </Heading>
        <div className="mt-1 text-muted">{children}</div>
      </div>
    </section>
  );
}

export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="py-12">
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mt-1 max-w-prose text-muted">{children}</div>
    </div>
  );
}

type CardProps = {
  title?: string;
  /** For steps that cannot be undone. */
  isDanger?: boolean;
  /** How the content is laid out. */
  className?: string;
  children: ReactNode;
};

/** A part of a page under a line of its own. */
export function Card({ title, isDanger, className = "", children }: CardProps) {
  const frame = "border-t border-hairline pt-4";
  if (!title) return <section className={`${frame} ${className}`}>{children}</section>;
  return (
    <section aria-label={title} className={frame}>
      <Heading level={2} className={`mb-3 font-semibold ${isDanger ? "text-danger" : ""}`}>
        {title}
      </Heading>
      <div className={className}>{children}</div>
    </section>
  );
}

type SectionProps = {
  title: string;
  /** The anchor for links to the section. */
  id?: string;
  /** Beside the title. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
};

/** A titled part of a page. */
export function Section({ title, id, aside, className, children }: SectionProps) {
  return (
    <section aria-label={title} className={className}>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** A list of entries with a line between them. */
export const ROWS = "divide-y divide-hairline";

/** The parts of a record side by side where there is room for both, also within a panel. */
export function SideBySide({ columns, children }: { columns: string; children: ReactNode }) {
  return (
    <div className="@container">
      <div className={`grid items-start gap-6 ${columns}`}>{children}</div>
    </div>
  );
}

/** Facts by their names. One that is null is left out. */
export function Fields({ rows }: { rows: Record<string, ReactNode> }) {
  return (
    <dl>
      {Object.entries(rows).map(([name, value]) =>
        value === null ? null : (
          <div key={name} className="grid gap-x-4 py-1.5 sm:grid-cols-[11rem_minmax(0,1fr)] sm:items-baseline">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

type Cell<Row> = (row: Row) => ReactNode;

/** Where a cell goes on a telephone: beside the row's name, or below either. One without a place is not shown there. */
type Place = "end" | "below" | "belowEnd";

export type Column<Row> = { cell: Cell<Row>; className?: string; place?: Place };

/** Columns by their headings; the first one names the row. */
export type Columns<Row> = Record<string, Cell<Row> | Column<Row>>;

/** The look of a column of numbers, which stand below each other by their last digits. */
export const NUMBERS = "text-end whitespace-nowrap tabular-nums";

type RowLinkProps = { href: string; className: string; children: ReactNode };

type TableProps<Row> = {
  caption: string;
  columns: Columns<Row>;
  rows: Row[];
  /** In place of a table without rows. */
  empty?: ReactNode;
  /** What a row opens: it is then one link. */
  href?: (row: Row) => string;
  /** The link, where it does more than lead to a page. */
  link?: ComponentType<RowLinkProps>;
  /** The heading above a row and its neighbours, such as a day. */
  groupOf?: (row: Row) => string;
  /** Whether the last row is the sum of the others. */
  isLastSum?: boolean;
} & (Row extends { id: string } ? { rowKey?: (row: Row) => string } : { rowKey: (row: Row) => string });

/** A table: on a telephone two lines a row where its columns have places, else labelled cells. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  empty,
  href,
  link: RowLink = Link,
  groupOf,
  isLastSum = false,
  rowKey = idOf,
}: TableProps<Row>) {
  if (rows.length === 0 && empty) return empty;
  const all = Object.entries(columns).map(([heading, column], index) => {
    const { cell, className, place }: Column<Row> = typeof column === "function" ? { cell: column } : column;
    return { heading, cell, className, place, Box: index === 0 ? ("th" as const) : ("td" as const) };
  });
  return (
    <div className="-mx-3 overflow-x-auto">
      <table className="data-table" data-sum={isLastSum || undefined}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {all.map(({ heading, place, className }) => (
              <th key={heading} scope="col" data-place={place} className={className}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        {grouped(rows, groupOf).map(({ name, members }) => (
          // Not by its first row, which changes: the focus in a row would be lost.
          <tbody key={`${name}`}>
            {name === undefined ? null : (
              <tr className="row-group">
                <td colSpan={all.length}>{name}</td>
              </tr>
            )}
            {members.map((row) => (
              <tr key={rowKey(row)}>
                {all.map(({ heading, Box, cell, className, place }) => (
                  <Box
                    key={heading}
                    scope={Box === "th" ? "row" : undefined}
                    data-label={heading}
                    data-place={place}
                    className={className}
                  >
                    {Box === "th" && href ? (
                      <RowLink href={href(row)} className="row-link">
                        {cell(row)}
                      </RowLink>
                    ) : (
                      <div>{cell(row)}</div>
                    )}
                  </Box>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

type Group<Row> = { name?: string | undefined; members: Row[] };

function grouped<Row>(rows: Row[], groupOf: ((row: Row) => string) | undefined): Group<Row>[] {
  if (!groupOf) return [{ members: rows }];
  const groups: Group<Row>[] = [];
  for (const row of rows) {
    const name = groupOf(row);
    const last = groups.at(-1);
    if (last?.name === name) last.members.push(row);
    else groups.push({ name, members: [row] });
  }
  return groups;
}

const idOf = (row: unknown): string => (row as { id: string }).id;

/** A native progress element: it needs no inline style, which the content security policy refuses. */
export function UsageBar({ used, limit, label }: { used: number; limit: number; label: string }) {
  return (
    <progress
      className={`usage-meter ${fill(used / limit)}`}
      max={limit}
      value={Math.min(used, limit)}
      aria-label={label}
    />
  );
}

const fill = (share: number): string =>
  share >= 1
    ? "[--usage-fill:var(--color-danger)]"
    : share >= 0.8
      ? "[--usage-fill:var(--color-caution)]"
      : "[--usage-fill:var(--color-muted)]";
