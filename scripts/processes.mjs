import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Required, not imported: --import makes Node before 20.10 refuse programs without a file extension, such as Next.
const END_WITH_PARENT = fileURLToPath(new URL("./end-with-parent.cjs", import.meta.url));

/**
 * Runs a Node program that cannot outlive this one.
 * @typedef {"pipe" | "ignore" | "inherit" | number} Stdio
 * @typedef {{ stdin?: Stdio, stdout?: Stdio, stderr?: Stdio }} Streams
 * @typedef {{ env?: Record<string, string | undefined>, cwd?: string, detached?: boolean }} Options
 * @type {(args: string[], options: Streams & Options) => import("node:child_process").ChildProcess}
 */
export function spawnNode(args, { stdin = "ignore", stdout = "pipe", stderr = "pipe", ...options }) {
  return spawn(process.execPath, ["--require", END_WITH_PARENT, ...args], {
    ...options,
    stdio: [stdin, stdout, stderr],
  });
}

/** Resolves with the exit code, or null where a signal ended it. */
export function exitOf(child) {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once("error", reject);
    child.once("close", resolve);
  });
}

/** Whether a process of this number runs, ours or not. One that has ended and waits to be reaped does not. */
export function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return false;
  }
  return linuxStatus(pid)?.state !== "Z";
}

/** The parent, and where the system shows it, its parent: npm puts a shell between itself and its script. */
export function ancestorsOfThis() {
  return `${process.ppid} ${linuxStatus(process.ppid)?.parent}`;
}

const linuxStatus = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name is in parentheses and may hold spaces; state and parent follow it.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, parent };
  } catch {
    return undefined;
  }
};
