import type { ReactNode } from "react";
import { Tabs } from "@/app/_components/tabs";
import type { Bar } from "@/lib/messages/status-series";
import { bucketWords, RANGE_WORDS, type UsageFilters } from "@/lib/messages/usage-range";
import { StatusChart, StatusTable } from "../_components/status-chart";
import { Tile } from "./tile";

type Props = {
  bars: Bar[];
  filters: UsageFilters;
  timeZone: string;
  href: (view: UsageFilters["view"]) => string;
  aside?: ReactNode;
  /** In place of a chart that would show nothing. */
  absent?: ReactNode;
};

/** Sends by where they stand now, as a chart or as the table of the same numbers. */
export function SendsTile({ bars, filters: { range, view }, timeZone, href, aside, absent }: Props) {
  const words = (bucket: string) => bucketWords(bucket, range, timeZone);
  const caption = `Messages by creation date, with current status, ${timeZone}`;
  const Shown = view === "table" ? StatusTable : StatusChart;
  return (
    <Tile name={`Sends, ${RANGE_WORDS[range].toLowerCase()}`} aside={aside}>
      {absent ?? (
        <>
          <Tabs
            label="How the numbers are shown"
            tabs={[
              { href: href("chart"), word: "Chart", isCurrent: view === "chart" },
              { href: href("table"), word: "Table", isCurrent: view === "table" },
            ]}
          />
          <Shown bars={bars} words={words} caption={caption} />
        </>
      )}
    </Tile>
  );
}
