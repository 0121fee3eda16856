import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { ListFilters } from "@/app/_components/list-filters";
import { Tabs } from "@/app/_components/list-links";
import { labelled, type Option, periodFilters } from "@/app/_components/options";
import { Card, DataTable, NUMBERS, Section } from "@/app/_components/panels";
import { listKeys } from "@/lib/api-keys/queries";
import { may, pageMember } from "@/lib/auth/page-member";
import type { ErrorCode } from "@/lib/core/app-error";
import type { Mode } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { formatNumber, percentOf, sentenceCase } from "@/lib/core/text";
import { ERROR_CATALOGUE } from "@/lib/docs/error-catalogue";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import { type Bar, SERIES, type Series, totalOf } from "@/lib/messages/usage/status-series";
import {
  DEFAULT_RANGE,
  firstDayOf,
  formatBucket,
  ignoredFiltersNote,
  RANGE_LABELS,
  type UsageFilters,
} from "@/lib/messages/usage/usage-range";
import { listAllLines } from "@/lib/phone-numbers/queries";
import { BarChart, type BarPart } from "../_components/bar-chart";

export function Tile({ name, children, aside }: { name: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <Card className="h-full min-w-0 tabular-nums">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-sm text-muted">{name}</h2>
        {aside}
      </div>
      {children}
    </Card>
  );
}

type ErrorCount = { code: string | number; count: number };

type Props = { errors: ErrorCount[]; failures: ErrorCount[]; filters: UsageFilters };

const SHOWN = 6;

/**
 * Failed messages by WhatsApp's code, refused calls by ours; each leads to the list of them. The line of a
 * call is unknown until it is parsed.
 */
export function ErrorTile({ errors, failures, filters }: Props) {
  const { range, line, key } = filters;
  const from = firstDayOf(range, new Date(), pageMember().workspace.timeZone);
  return (
    <Section title={`Errors, ${RANGE_LABELS[range].toLowerCase()}`}>
      {errors.length + failures.length === 0 ? (
        <p className="text-muted">None. Refused calls and failed messages appear here, most frequent first.</p>
      ) : null}
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        <Ranking
          name="Messages failed at WhatsApp"
          rows={failures}
          href={(code) =>
            withQuery("/dashboard/messages", { status: "FAILED", code: code ? `${code}` : undefined, line, key, from })
          }
          titleOf={(code) => (code === 0 ? "No code" : explainPlatformCode(Number(code))?.title)}
        />
        <Ranking
          name={`Calls refused or failed${ignoredFiltersNote(filters, ["line"])}`}
          rows={errors}
          href={(code) => withQuery("/dashboard/requests", { code: `${code}`, key, from })}
          titleOf={(code) => (code in ERROR_CATALOGUE ? ERROR_CATALOGUE[code as ErrorCode].title : undefined)}
        />
      </div>
    </Section>
  );
}

type RankingProps = {
  name: string;
  rows: ErrorCount[];
  href: (code: ErrorCount["code"]) => string;
  titleOf: (code: ErrorCount["code"]) => string | undefined;
};

/** Counts first, because they are the answer; a code has its meaning beside it. */
function Ranking({ name, rows, href, titleOf }: RankingProps) {
  if (rows.length === 0) return null;
  return (
    <div className="min-w-0">
      <h3 className="font-medium">{name}</h3>
      <ol className="mt-1 grid gap-1">
        {rows.slice(0, SHOWN).map(({ code, count }) => (
          <li key={code} className="grid grid-cols-[3rem_minmax(0,1fr)] items-baseline gap-x-3">
            <span className="text-end font-semibold tabular-nums">{formatNumber(count)}</span>
            <span className="min-w-0">
              <TextLink href={href(code)}>{titleOf(code) ?? "Unknown code"}</TextLink>
              {code === 0 ? null : <span className="font-mono text-sm whitespace-nowrap text-muted"> {code}</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

type SendsTileProps = {
  bars: Bar[];
  filters: UsageFilters;
  href: (view: UsageFilters["view"]) => string;
  aside?: ReactNode;
  /** In place of a chart that would show nothing. */
  absent?: ReactNode;
};

/** The share of the range's messages that arrived: what a look at the chart is for. */
function DeliveryRate({ bars }: { bars: Bar[] }) {
  const all = bars.reduce((sum, { total }) => sum + total, 0);
  const arrived = totalOf(bars, "DELIVERED") + totalOf(bars, "READ");
  return (
    <p className="mb-3 text-xl font-bold tabular-nums">
      {percentOf(arrived, all)}%{" "}
      <span className="text-base font-normal text-muted">
        delivered or read, {formatNumber(arrived)} of {formatNumber(all)} {all === 1 ? "message" : "messages"}
      </span>
    </p>
  );
}

/** Sends by current status, as a chart or as the table of the same numbers. */
export function SendsTile({ bars, filters: { range, view }, href, aside, absent }: SendsTileProps) {
  const { timeZone } = pageMember().workspace;
  const words = (bucket: string) => formatBucket(bucket, range, timeZone);
  const caption = `Messages by creation date, with current status, ${timeZone}`;
  const shown = { bars, words, caption };
  return (
    <Section title={`Sends, ${RANGE_LABELS[range].toLowerCase()}`} aside={aside}>
      {absent ?? (
        <>
          <DeliveryRate bars={bars} />
          <Tabs
            label="How the numbers are shown"
            tabs={[
              { href: href("chart"), word: "Chart", isCurrent: view === "chart" },
              { href: href("table"), word: "Table", isCurrent: view === "table" },
            ]}
          />
          {view === "table" ? <StatusTable {...shown} /> : <BarChart {...shown} parts={PARTS} />}
        </>
      )}
    </Section>
  );
}

type UsageFilterFieldsProps = {
  path: string;
  mode: Mode;
  /** The days are those of a range from one day to another. */
  filters: Record<"range" | "view", string> & Pick<UsageFilters, "line" | "key"> & { from?: string; to?: string };
  ranges?: { options: Option[]; standard: string };
};

const RANGES = {
  options: Object.entries(RANGE_LABELS).map(([value, word]) => ({ value, word })),
  standard: DEFAULT_RANGE,
};

/** Range, line and, for those who may see keys, key: in the address, like every filter. */
export async function UsageFilterFields({ path, mode, filters, ranges = RANGES }: UsageFilterFieldsProps) {
  const { workspaceId } = pageMember();
  const { view, from, to, ...others } = filters;
  const values = { ...others, from, to };
  const [lines, allKeys] = await Promise.all([
    listAllLines(workspaceId),
    may("seeApiKeys") ? listKeys(workspaceId) : [],
  ]);
  const { from: first, to: last } = periodFilters();
  const days = from ? { from: { ...first, isInSight: true }, to: { ...last, isInSight: true } } : NO_DAYS;
  const keys = allKeys.filter((key) => key.mode === mode).map((key) => ({ ...key, label: key.label || key.apiKey }));
  return (
    <ListFilters
      path={path}
      filters={{
        range: { label: "Range", ...ranges },
        ...days,
        line: { label: "Line", options: labelled(lines.filter((line) => line.mode === mode)) },
        key: keys.length > 0 ? { label: "Key", options: labelled(keys) } : undefined,
      }}
      values={values}
      kept={view === "chart" ? {} : { view }}
    />
  );
}

const NO_DAYS = { from: undefined, to: undefined };

/** The pages of Usage. */
export function UsageTabs({ current }: { current: "messages" | "costs" }) {
  return (
    <Tabs
      label="Usage"
      tabs={[
        { href: "/dashboard/usage", word: "Messages", isCurrent: current === "messages" },
        { href: "/dashboard/usage/costs", word: "Costs", isCurrent: current === "costs" },
      ]}
    />
  );
}

type StatusProps = { bars: Bar[]; words: (bucket: string) => string; caption: string };

function StatusTable({ bars, words, caption }: StatusProps) {
  return (
    <DataTable
      caption={caption}
      rows={bars.toReversed()}
      rowKey={({ bucket }) => bucket}
      columns={{
        When: ({ bucket }) => words(bucket),
        ...Object.fromEntries(
          SERIES.map((series) => [
            wordOf(series),
            { className: NUMBERS, cell: ({ counts }: Bar) => formatNumber(counts[series]) },
          ]),
        ),
        All: { className: NUMBERS, cell: ({ total }) => formatNumber(total) },
      }}
    />
  );
}

const wordOf = (series: Series): string => (series === "PENDING" ? "Pending or unknown" : sentenceCase(series));

const FILLS: Record<Series, string> = {
  PENDING: "fill-bar-pending",
  SENT: "fill-bar-sent",
  DELIVERED: "fill-bar-delivered",
  READ: "fill-bar-read",
  FAILED: "fill-bar-failed",
};

const PARTS: BarPart<Series>[] = SERIES.map((id) => ({
  id,
  word: wordOf(id),
  fill: FILLS[id],
  isHatched: id === "FAILED",
}));
