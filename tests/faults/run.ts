import { rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { withProgress } from "../../scripts/progress.mjs";
import { openRunLogs } from "../support/run-logs";
import { buildVariant } from "./builds";
import { DATABASE_FAULTS } from "./database-faults";
import type { Fault } from "./fault";
import { INVARIANTS, type Invariant } from "./history";
import { KILL_FAULTS } from "./kill-faults";
import { LIMITER_FAULTS } from "./limiter-faults";
import { OPERATION_FAULTS } from "./operation-faults";
import { OUTBOX_FAULTS } from "./outbox-faults";
import { PACE_FAULTS } from "./pace-faults";
import { PLATFORM_FAULTS_TRIED } from "./platform-faults";
import { RACE_FAULTS } from "./race-faults";
import type { Finding } from "./scene";
import { UNSENT_FAULTS } from "./unsent-faults";
import { WEBHOOK_FAULTS } from "./webhook-faults";
import { wholeRun } from "./whole-run";
import { startWorld, type World } from "./world";

/**
 * `npm run test:faults`: every fault. `-- --short` is the part of `npm test`; `--only PATTERN` picks. Most of a fault is
 * waiting: `--half 0` and `--half 1` are each every second one, for two runs at once.
 */
const FAULTS: Fault[] = [
  ...KILL_FAULTS,
  ...UNSENT_FAULTS,
  ...RACE_FAULTS,
  ...PLATFORM_FAULTS_TRIED,
  ...DATABASE_FAULTS,
  ...LIMITER_FAULTS,
  ...WEBHOOK_FAULTS,
  ...OUTBOX_FAULTS,
  ...PACE_FAULTS,
  ...OPERATION_FAULTS,
  wholeRun,
];

const { values: options } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string" },
    half: { type: "string" },
    report: { type: "string" },
  },
});

// Commands that a fault starts write their logs where those of a test run do.
openRunLogs();
process.on("exit", () => rmSync(process.env.TEST_LOGS ?? "", { recursive: true, force: true }));

const picked = new RegExp(options.only ?? "");

type Line = {
  title: string;
  runs: string;
  invariants: string;
  recovery: string;
  state: "ok" | "FAILED" | "not produced";
};

const lines: Line[] = [];
const failures: { title: string; message: string }[] = [];
let [serial, count] = [0, 0];

/** Does a piece of work whose title moves while it goes on, and says how it ended. */
const show = async (title: string, work: () => Promise<Omit<Line, "title"> & { said: string[] }>): Promise<void> => {
  serial += 1;
  const { said, ...line } = await withProgress(`[${serial}/${count}] ${title}`, work);
  console.log(`${line.state.padEnd(6)} ${title}`);
  for (const text of said) console.log(`         ${text}`);
  lines.push({ title, ...line });
  if (line.state === "FAILED") failures.push({ title, message: said.join("\n") });
};

const examine = (fault: Fault, world: World): Promise<void> =>
  show(fault.title, async () => {
    world.judged.clear();
    const { runs, recoveryMs, faults, notes } = await fault.run(world, { isShort: options.short }).catch(
      (error: unknown): Finding => ({
        runs: 0,
        recoveryMs: null,
        notes: [],
        faults: [`it could not be produced: ${error instanceof Error ? error.stack : error}`],
      }),
    );
    const state = faults.length > 0 ? "FAILED" : runs > 0 ? "ok" : "not produced";
    return {
      runs: `${runs}`,
      invariants: namesOf([...world.judged]),
      state,
      recovery: recoveryMs === null ? "–" : `${Math.round(recoveryMs)} ms`,
      said: [...[...new Set(faults)].slice(0, 10), ...notes],
    };
  });

/** Neighbours as a span: I1–I3 I5. */
const namesOf = (invariants: Invariant[]): string => {
  const spans = INVARIANTS.map((invariant) => (invariants.includes(invariant) ? invariant : " "))
    .join("")
    .trim()
    .split(/ +/)
    .map((span) => span.match(/I\d/g) ?? []);
  return spans.map((span) => (span.length > 2 ? `${span[0]}–${span.at(-1)}` : span.join(" "))).join(" ") || "–";
};

const printTable = () => {
  const width = Math.max(...lines.map(({ title }) => title.length));
  const row = ({ title, runs, invariants, recovery, state }: Line) =>
    `${title.padEnd(width)} | ${runs.padStart(5)} | ${invariants.padEnd(18)} | ${recovery.padStart(14)}${state === "ok" ? "" : ` | ${state}`}`;
  console.log(`\n${"fault".padEnd(width)} |  runs | invariants checked | worst recovery`);
  for (const line of lines) console.log(row(line));
};

const main = async () => {
  const startedAtMs = performance.now();
  const { half, short } = options;
  const wanted = FAULTS.filter(({ title, isShort }) => picked.test(title) && (isShort || !short)).filter(
    (fault, place) => half === undefined || fault === wholeRun || place % 2 === Number(half),
  );
  count = wanted.length;
  const name = half === undefined ? "product" : `product-${half}`;
  const faultBuild = await withProgress("Building with the fault points", () => buildVariant(name));
  const world = await startWorld(faultBuild);
  try {
    for (const fault of wanted) await examine(fault, world);
  } finally {
    await world.stop();
  }
  printTable();
  const countOf = (state: Line["state"]) => lines.filter((line) => line.state === state).length;
  const [passed, failed, absent] = [countOf("ok"), countOf("FAILED"), countOf("not produced")];
  const minutes = ((performance.now() - startedAtMs) / 60_000).toFixed(1);
  console.log(`\n${passed} passed, ${failed} failed, ${absent} not produced, in ${minutes} min`);
  if (options.report) writeFileSync(options.report, JSON.stringify({ passed, failed, failures }));
  // Sockets that a fault has silenced would keep this process for minutes.
  process.exit(failed > 0 || lines.length === 0 ? 1 : 0);
};

await main();
