import { tableOf } from "../support/table";
import type { AddedLatency } from "./added-latency";
import type { BesidePages } from "./beside-pages";
import type { Measured } from "./measure-scenario";
import type { Memory } from "./memory";
import { CONNECTIONS, type OneAndSixteen } from "./one-and-sixteen";

/** Throughput and latency; then what a call costs. */
export const callTables = (measured: Measured[]): string => {
  const speed = measured.map(({ name, ours, floor, ratio, p50, p99, others }) => [
    name,
    whole(ours.perSecond),
    whole(floor.perSecond),
    fixed(ratio, 2),
    fixed(p50, 1),
    fixed(p99, 1),
    fixed(others, 2),
  ]);
  const costs = measured.map(({ name, ours, floor, statements }) => [
    name,
    fixed(ours.serverMs, 2),
    fixed(ours.postgresMs, 2),
    fixed(floor.serverMs, 2),
    fixed(floor.postgresMs, 2),
    fixed(statements, 1),
  ]);
  return [
    tableOf(["Calls", "ours/s", "floor/s", "ratio", "p50 ms", "p99 ms", "others"], speed),
    "p50 and p99: ours at half of its throughput. Others: cores used by what is not of this run.",
    "",
    tableOf(["CPU ms a call", "ours", "its Pg", "floor", "its Pg", "statements"], costs),
    "Statements: ours, one call after the other; what is written beside the calls is not among them.",
  ].join("\n");
};

export const latencyTable = ({ direct, through, added }: AddedLatency): string =>
  tableOf(
    ["One send at 50 a second, p50 ms", "platform", "through us", "added"],
    [["", fixed(direct, 1), fixed(through, 1), fixed(added, 1)]],
  );

/** Both halves, as each is one look. */
export const oneAndSixteenTable = ({ one, sixteen, oneDelayed, sixteenDelayed }: OneAndSixteen): string => {
  const row = (name: string, ones: number[], sixteens: number[]) => [
    name,
    both(ones),
    both(sixteens),
    ones.map((value, half) => fixed((sixteens[half] ?? Number.NaN) / value, 2)).join(" / "),
  ];
  return tableOf(
    [`Sends/s, ${CONNECTIONS} connections (both halves)`, "1 workspace", "16 workspaces", "16 : 1"],
    [row("commits as they come", one, sixteen), row("commits delayed by 3 ms", oneDelayed, sixteenDelayed)],
  );
};

export const memoryTable = (readings: Memory[]): string =>
  tableOf(
    ["Memory, MiB", "API", "API and pages"],
    readings.map(({ sends, api, both }) => [`after ${sends.toLocaleString("en")} sends`, whole(api), whole(both)]),
  );

export const besidePagesTable = ({ alone, beside, ratio, overviews, exportedRows }: BesidePages): string =>
  [
    tableOf(
      ["p99 of sends at 50 a second, ms", "alone", "beside", "times"],
      [["", fixed(alone, 1), fixed(beside, 1), fixed(ratio, 2)]],
    ),
    `Beside ${overviews} loads of the Overview, one after the other, and ${exportedRows.toLocaleString("en")} exported rows.`,
  ].join("\n");

const both = (halves: number[]): string => halves.map(whole).join(" / ");
const whole = (value: number): string => value.toFixed(0);
const fixed = (value: number, digits: number): string => value.toFixed(digits);

/** Figures of a machine that was busy with something else say little. */
export const othersText = (cores: number): string => `Others used ${fixed(cores, 2)} cores.`;
