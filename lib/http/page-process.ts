import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { getHeapStatistics } from "node:v8";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import type { PagesState } from "@/lib/core/own-server";
import { refuseToStart } from "./stop";

/** Messages of the page process: "ready" once it takes requests, then a heartbeat every second. */
export type PageMessage = "ready" | "beat";
export const BEAT_EVERY_MS = 1_000;
const MAX_MISSED_BEATS = 10;
const MAX_MISSED_AT_START = 60;
/** A process that ran this long resets the count of failures in a row. */
const STEADY_AFTER_MS = 60_000;
const MAX_PAUSE_MS = 30_000;
/** Far more than pages need, or this process's own limit: a leaking page must not use up the API's memory. */
const HEAP_MEGABYTES = Math.min(1_024, Math.floor(getHeapStatistics().heap_size_limit / 1_024 ** 2));
const STOP_WITHIN_MS = 2_500;

export type PageProcess = {
  /** Resolves when the process is first ready for requests. */
  ready: Promise<void>;
  stop: () => Promise<void>;
};

type Order = { program: string; socketPath: string; origin: string; onState?: (state: PagesState) => void };

/** Returns a path for the socket between the processes that no other user of the machine can open, or refuses to start. */
export function newSocketPath(): string {
  if (process.platform === "win32") return String.raw`\\.\pipe\switchboard-${newId("req")}`;
  const folder = newTemporaryFolder();
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "pages");
}

function newTemporaryFolder(): string {
  try {
    return mkdtempSync(path.join(os.tmpdir(), "switchboard-"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refuseToStart(
      `${os.tmpdir()} cannot be written (${code}). Set TMPDIR to a folder for temporary files that can be.`,
    );
  }
}

/**
 * Keeps the page process running. If it exits or misses 10 s of heartbeats, it is restarted: at once, and after
 * a pause that doubles if the previous one failed early, too.
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
    child = fork(program, ["pages", "--socket", socketPath, "--origin", origin], {
      execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MEGABYTES}`],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const pulse = setInterval(() => {
      missed += 1;
      if (missed <= (state === "ok" ? MAX_MISSED_BEATS : MAX_MISSED_AT_START)) return;
      log("error", "pages.stuck");
      child.kill("SIGKILL");
    }, BEAT_EVERY_MS);
    child.on("message", (word: PageMessage) => {
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
      const pauseMs = failuresInRow < 2 ? 0 : Math.min(MAX_PAUSE_MS, 250 * 2 ** failuresInRow);
      // A signal to the whole process group may come before Node can handle it.
      const wasStopped = signal === "SIGTERM" || signal === "SIGINT";
      log(wasStopped ? "info" : "error", "pages.ended", { code, signal, pauseMs });
      setTimeout(() => isStopping || start(), pauseMs);
    };
    child.once("exit", (code, signal) => end({ code, signal }));
    child.on("error", (error) => {
      log("error", "pages.failed", errorFields(error));
      // The spawn failed, so there is no exit event.
      if (child.pid === undefined) end({});
    });
  };

  start();
  return {
    ready,
    stop: () => {
      isStopping = true;
      return new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once("exit", () => resolve());
        // A closed channel means that the process is already exiting.
        child.send("stop", () => {});
        setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS).unref();
      });
    },
  };
}
