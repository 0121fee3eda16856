import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../../scripts/install.mjs";
import { buildVariant, tracesOfFaultPoints } from "./builds";
import { DATABASE_FAULTS } from "./database-faults";
import type { Fault } from "./fault";
import { KILL_FAULTS } from "./kill-faults";
import { realLease } from "./lease-fault";
import { LIMITER_FAULTS } from "./limiter-faults";
import { OPERATION_FAULTS } from "./operation-faults";
import { PLATFORM_FAULTS_TRIED } from "./platform-faults";
import { RACE_FAULTS } from "./race-faults";
import type { Finding } from "./scene";
import { breakVariant, VARIANTS, type Variant } from "./variants";
import { WEBHOOK_FAULTS } from "./webhook-faults";
import { startWorld, type World } from "./world";

/** `npm run test:faults`: every fault, then the broken variants. `-- --short` is the part of `npm test`; `--only PATTERN` picks. */
const FAULTS: Fault[] = [
  ...[...KILL_FAULTS, ...RACE_FAULTS, ...PLATFORM_FAULTS_TRIED, ...DATABASE_FAULTS],
  ...[...LIMITER_FAULTS, ...WEBHOOK_FAULTS, ...OPERATION_FAULTS, realLease],
];

const { values: options } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string" }, report: { type: "string" } },
});

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const picked = new RegExp(options.only ?? "");

type Line = { title: string; runs: string; invariants: string; recovery: string; isOk: boolean };

const lines: Line[] = [];

const examine = async (fault: Fault, world: World): Promise<void> => {
  const startedAtMs = performance.now();
  const finding = await fault.run(world, { isShort: options.short }).catch(
    (error: unknown): Finding => ({
      ...{ runs: 0, recoveryMs: null, notes: [] },
      faults: [`it could not be produced: ${error instanceof Error ? error.stack : error}`],
    }),
  );
  const isOk = finding.faults.length === 0;
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  console.log(`${isOk ? "ok    " : "FAILED"} ${fault.title} (${seconds} s)`);
  for (const text of [...new Set(finding.faults)].slice(0, 10)) console.log(`         ${text}`);
  for (const note of finding.notes) console.log(`         ${note}`);
  lines.push({
    ...{ title: fault.title, runs: `${finding.runs}`, invariants: "I1–I8", isOk },
    recovery: finding.recoveryMs === null ? "–" : `${Math.round(finding.recoveryMs)} ms`,
  });
};

/** The harness itself is tried: what is broken on purpose must be found. */
const examineVariant = async (variant: Variant, world: World): Promise<void> => {
  const found = await breakVariant(world, variant).catch((error: unknown) => String(error));
  const broken = typeof found === "string" ? [] : [...new Set(found.map(({ invariant }) => invariant))];
  const isOk = broken.includes(variant.mustBreak);
  const title = `broken on purpose: ${variant.name}`;
  console.log(
    `${isOk ? "ok    " : "FAILED"} ${title}: ${typeof found === "string" ? found : broken.join(", ") || "nothing found"}`,
  );
  for (const { invariant, what } of typeof found === "string" ? [] : found.slice(0, 4))
    console.log(`         ${invariant}: ${what}`);
  lines.push({ title, runs: "1", invariants: `finds ${broken.join(", ") || "nothing"}`, recovery: "–", isOk });
};

const printTable = () => {
  const width = Math.max(...lines.map(({ title }) => title.length));
  const row = ({ title, runs, invariants, recovery, isOk }: Line) =>
    `${title.padEnd(width)} | ${runs.padStart(5)} | ${invariants.padEnd(18)} | ${recovery.padStart(14)}${isOk ? "" : " | FAILED"}`;
  console.log(`\n${"fault".padEnd(width)} |  runs | invariants checked | worst recovery`);
  for (const line of lines) console.log(row(line));
};

/** No word of the fault points is in the build that goes to production. */
const examineProductionBuild = async (): Promise<void> => {
  await ensureBuilt(process.env);
  const traces = tracesOfFaultPoints(path.join(ROOT, ".next"));
  const isOk = traces.length === 0 && tracesOfFaultPoints(await buildVariant("product")).length > 0;
  const title = "the production build holds no fault point";
  console.log(`${isOk ? "ok    " : "FAILED"} ${title}${traces.map((file) => `\n         ${file}`).join("")}`);
  lines.push({ title, runs: "1", invariants: "–", recovery: "–", isOk });
};

const main = async () => {
  if (options.only === undefined) await examineProductionBuild();
  const world = await startWorld(await buildVariant("product"));
  try {
    const wanted = FAULTS.filter(({ title, isShort }) => picked.test(title) && (isShort || !options.short));
    for (const fault of wanted) await examine(fault, world);
    const variants = options.short ? [] : VARIANTS.filter(({ name }) => picked.test(`variant ${name}`));
    for (const variant of variants) await examineVariant(variant, world);
  } finally {
    await world.stop();
  }
  printTable();
  const failed = lines.filter(({ isOk }) => !isOk).length;
  console.log(`\n${lines.length - failed} passed, ${failed} failed`);
  if (options.report) writeFileSync(options.report, JSON.stringify({ passed: lines.length - failed, failed }));
  // Sockets that a fault has silenced would keep this process for minutes.
  process.exit(failed > 0 || lines.length === 0 ? 1 : 0);
};

await main();
