import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Required, not imported: --import makes Node before 20.10 refuse programs without a file extension, such as Next.
const END_WITH_PARENT = fileURLToPath(new URL("./end-with-parent.cjs", import.meta.url));

/**
 * Runs a Node program that cannot outlive this one, under the Node of TEST_NODE if it is set.
 * @typedef {"pipe" | "ignore" | "inherit" | number} Stdio
 * @typedef {{ stdin?: Stdio, stdout?: Stdio, stderr?: Stdio }} Streams
 * @typedef {{ env?: Record<string, string | undefined>, cwd?: string, detached?: boolean }} Options
 * @type {(args: string[], options: Streams & Options) => import("node:child_process").ChildProcess}
 */
export function spawnNode(args, { stdin = "ignore", stdout = "pipe", stderr = "pipe", ...options }) {
  return spawn(process.env.TEST_NODE ?? process.execPath, ["--require", END_WITH_PARENT, ...args], {
    ...options,
    stdio: [stdin, stdout, stderr],
  });
}

/** Resolves with the exit code, or null if a signal ended the process. */
export function exitOf(child) {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once("error", reject);
    child.once("close", resolve);
  });
}

/** Returns whether a process with this id is running. A zombie is not. */
export function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return false;
  }
  return linuxStatus(pid)?.state !== "Z";
}

/** Returns the parent's and, if available, the grandparent's id: npm runs scripts through a shell. */
export function ancestorsOfThis() {
  return `${process.ppid} ${linuxStatus(process.ppid)?.parent}`;
}

function linuxStatus(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name is in parentheses and may hold spaces; state and parent follow it.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, parent };
  } catch {
    return undefined;
  }
}
