import { spawn } from "node:child_process";

const END_WITH_PARENT = new URL("./end-with-parent.mjs", import.meta.url).href;

/** Runs a Node program that cannot outlive this one. `stdout` and `stderr` are as in `stdio`. */
export const spawnNode = (args, { stdout = "pipe", stderr = "pipe", ...options }) =>
  spawn(process.execPath, ["--import", END_WITH_PARENT, ...args], {
    ...options,
    stdio: ["ignore", stdout, stderr],
  });

/** Resolves with the exit code, or null where a signal ended it. */
export const exitOf = (child) =>
  new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once("error", reject);
    child.once("close", resolve);
  });

/** Whether a process of this number runs, ours or not. */
export const isAlive = (pid) => {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
};
