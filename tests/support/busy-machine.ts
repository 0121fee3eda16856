import { type ChildProcess, spawn } from "node:child_process";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const STOPPED_MS = 250;
const RUNNING_MS = 100;

/**
 * Keeps the machine busy while `work` runs: twice as many processes as cores that never rest, and the servers of `pids`
 * get turns of 100 ms with 250 ms between them.
 */
export const onBusyMachine = async <T>(pids: readonly number[], work: () => Promise<T>): Promise<T> => {
  const hogs = Array.from(
    { length: 2 * os.cpus().length },
    (): ChildProcess => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };
  let isOver = false;
  const pulse = (async () => {
    while (!isOver) {
      signal("SIGSTOP");
      await sleep(STOPPED_MS);
      signal("SIGCONT");
      await sleep(RUNNING_MS);
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await pulse;
    for (const hog of hogs) hog.kill("SIGKILL");
  }
};
