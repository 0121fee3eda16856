import { readFileSync } from "node:fs";
import { processTree } from "./process-tree";

/** The CPU time that a process and the ones that it started have used so far, on all threads, in milliseconds. */
export const cpuMs = (pid: number): number => processTree(pid).reduce((sum, one) => sum + ownCpuMs(one), 0);

/** Of the process alone. */
export const ownCpuMs = (pid: number): number => {
  const { user, system } = timesOf(pid);
  return user + system;
};

/** The same with those that have ended since, such as the backends of a Postgres. */
export const cpuMsWithEnded = (pid: number): number =>
  processTree(pid).reduce((sum, one) => sum + (withEndedChildren(one) ?? 0), 0);

/** Undefined for a process that has just ended: its parent has its times. */
const withEndedChildren = (pid: number): number | undefined => {
  try {
    const { user, system, endedUser, endedSystem } = timesOf(pid);
    return user + system + endedUser + endedSystem;
  } catch {
    return undefined;
  }
};

const timesOf = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const field = (place: number) => Number(fields[place]) * 10;
  return { user: field(11), system: field(12), endedUser: field(13), endedSystem: field(14) };
};
