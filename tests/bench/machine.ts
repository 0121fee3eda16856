import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Sql } from "postgres";
import { quantile } from "../faults/fault";
import { cpuMsWithEnded } from "../support/cpu-time";

const WRITES = 100;
const PAGE_BYTES = 8_192;
const GIBIBYTE = 2 ** 30;

/** What the figures depend on. */
export const describeMachine = async (sql: Sql): Promise<string> => {
  const [cpu] = os.cpus();
  const [postgres] = await sql<Record<string, string>[]>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit, current_setting('shared_buffers') as buffers`;
  return [
    `${os.availableParallelism()} × ${cpu?.model.trim()}, ${(os.totalmem() / GIBIBYTE).toFixed(0)} GiB, ${os.type()} ${os.release()}, Node ${process.versions.node}`,
    `Postgres ${postgres?.version}, fsync ${postgres?.fsync}, synchronous_commit ${postgres?.commit}, shared_buffers ${postgres?.buffers}`,
    `One write of 8 KiB to the disk: median ${flushMs().toFixed(2)} ms. Load average before: ${os.loadavg()[0]?.toFixed(1)}`,
  ].join("\n");
};

/** A commit waits for one such write. */
const flushMs = (): number => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "switchboard-disk-"));
  const file = openSync(path.join(directory, "pages"), "w");
  try {
    const times = Array.from({ length: WRITES }, () => {
      const startedAtMs = performance.now();
      writeSync(file, Buffer.alloc(PAGE_BYTES, 1));
      fdatasyncSync(file);
      return performance.now() - startedAtMs;
    });
    return quantile(times, 0.5);
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Begins to count; what it returns says how many cores others have used since, the host's other guests included. */
export const watchOthers = (): (() => number) => {
  const startedAtMs = performance.now();
  const before = othersMs();
  return () => Math.max(0, (othersMs() - before) / (performance.now() - startedAtMs));
};

const TICK_MS = 10;

/** CPU time of the whole machine that is of no process of this run. */
const othersMs = (): number => {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = line.split(/ +/).slice(1).map(Number);
  return (user + nice + system + irq + softIrq + steal) * TICK_MS - cpuMsWithEnded(process.pid);
};
