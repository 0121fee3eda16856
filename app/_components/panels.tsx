import type { ReactNode } from "react";
import { Heading } from "./heading";
import { Icon, type IconName } from "./icon";

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
        <div className="min-w-0 break-words">{children}</div>
      </div>
      {action ? <div className="shrink-0 max-sm:ms-6">{action}</div> : null}
    </div>
  );
}

const TONES: Record<Tone, { look: string; icon: IconName }> = {
  info: { look: "border border-hairline bg-surface text-ink", icon: "info" },
  good: { look: "bg-good-fill text-good", icon: "check" },
  caution: { look: "bg-caution-fill text-caution", icon: "alert" },
  bad: { look: "bg-bad-fill text-bad", icon: "alert" },
};

export function FailurePanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex gap-3 rounded-card border border-danger p-4">
      <Icon name="alert" className="mt-0.5 text-danger" />
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
    <div className="rounded-card border border-dashed border-control px-6 py-10 text-center">
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mx-auto mt-1 max-w-prose text-muted">{children}</div>
    </div>
  );
}

type CardProps = {
  title?: string;
  /** What cannot be undone. */
  isDanger?: boolean;
  /** How the content is laid out. */
  className?: string;
  children: ReactNode;
};

/** A framed section of a page. */
export function Card({ title, isDanger, className = "", children }: CardProps) {
  const frame = `rounded-card border ${isDanger ? "border-danger" : "border-hairline"} p-4 sm:p-5`;
  if (!title) return <section className={`${frame} ${className}`}>{children}</section>;
  return (
    <section aria-label={title} className={frame}>
      <Heading level={2} className="mb-3 font-semibold">
        {title}
      </Heading>
      <div className={className}>{children}</div>
    </section>
  );
}

type SectionProps = {
  title: string;
  /** What a link to the section names. */
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

/** Entries one below the other, in a frame. */
export const FRAMED_LIST = "divide-y divide-hairline rounded-card border border-hairline";

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
    <dl className={FRAMED_LIST}>
      {Object.entries(rows).map(([name, value]) =>
        value === null ? null : (
          <div
            key={name}
            className="grid gap-x-4 gap-y-1 px-4 py-2.5 sm:grid-cols-[11rem_minmax(0,1fr)] sm:items-center"
          >
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

type Cell<Row> = (row: Row) => ReactNode;

/** Columns by their headings; the first one names the row. */
type Columns<Row> = Record<string, Cell<Row> | { className: string; cell: Cell<Row> }>;

type TableProps<Row> = {
  caption: string;
  columns: Columns<Row>;
  rows: Row[];
  /** In place of a table without rows. */
  empty?: ReactNode;
} & (Row extends { id: string } ? { rowKey?: (row: Row) => string } : { rowKey: (row: Row) => string });

/** A table that turns into labelled cards on a phone. */
export function DataTable<Row>({ caption, columns, rows, empty, rowKey = idOf }: TableProps<Row>) {
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
      : "[--usage-fill:var(--color-accent)]";
