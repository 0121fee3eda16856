import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { getHeapStatistics } from "node:v8";
import type { PagesState } from "@/lib/core/front-door";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";

/** What the page process says: once that it takes requests, then every second that it is not stuck. */
export type PageWord = "ready" | "beat";
export const BEAT_EVERY_MS = 1_000;
const MOST_MISSED_BEATS = 10;
const MOST_MISSED_AT_START = 60;
/** One that has run for so long does not count as another failure in a row. */
const STEADY_AFTER_MS = 60_000;
const MOST_PAUSE_MS = 30_000;
/** Many times what pages need, or what this process has: what a page piles up must not take the memory of the API. */
const HEAP_MEGABYTES = Math.min(1_024, Math.floor(getHeapStatistics().heap_size_limit / 1_024 ** 2));
const STOP_WITHIN_MS = 2_500;

export type PageProcess = {
  state: () => PagesState;
  /** Resolves when it has taken requests for the first time. */
  ready: Promise<void>;
  stop: () => Promise<void>;
};

type Order = { program: string; socketPath: string; origin: string; onState?: (state: PagesState) => void };

/** A place for the socket between the processes, which no other user of the machine may open. */
export function newSocketPath(): string {
  if (process.platform === "win32") return String.raw`\\.\pipe\switchboard-${newId("req")}`;
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "pages");
}

/**
 * Keeps a process with the pages running. One that ends, or says nothing for ten seconds, is replaced: at once, and after
 * a pause that doubles where the last one failed soon, too.
 */
export function keepPages({ program, socketPath, origin, onState = () => {} }: Order): PageProcess {
  let child: ChildProcess;
  let state: PagesState = "starting";
  let failuresInRow = 0;
  let isStopping = false;
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const become = (next: PagesState) => {
    state = next;
    onState(next);
  };

  const start = () => {
    const startedAtMs = performance.now();
    let missed = 0;
    child = fork(program, ["--socket", socketPath, "--origin", origin], {
      execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MEGABYTES}`],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const pulse = setInterval(() => {
      missed += 1;
      if (missed <= (state === "ok" ? MOST_MISSED_BEATS : MOST_MISSED_AT_START)) return;
      log("error", "pages.stuck");
      child.kill("SIGKILL");
    }, BEAT_EVERY_MS);
    child.on("message", (word: PageWord) => {
      missed = 0;
      if (word !== "ready") return;
      become("ok");
      isReady();
    });
    const end = ({ code, signal }: { code?: number | null; signal?: string | null }) => {
      clearInterval(pulse);
      become("starting");
      if (isStopping) return;
      failuresInRow = performance.now() - startedAtMs > STEADY_AFTER_MS ? 0 : failuresInRow + 1;
      const pauseMs = failuresInRow < 2 ? 0 : Math.min(MOST_PAUSE_MS, 250 * 2 ** failuresInRow);
      log("error", "pages.ended", { code, signal, pauseMs });
      setTimeout(() => isStopping || start(), pauseMs);
    };
    child.once("exit", (code, signal) => end({ code, signal }));
    child.on("error", (error) => {
      log("error", "pages.failed", errorFields(error));
      // The system had no process for it, so that none ends.
      if (child.pid === undefined) end({});
    });
  };

  start();
  return {
    state: () => state,
    ready,
    stop: () => {
      isStopping = true;
      return new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once("exit", () => resolve());
        // A channel that is closed says that it ends already.
        child.send("stop", () => {});
        setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS).unref();
      });
    },
  };
}
