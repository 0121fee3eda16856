import { readFileSync } from "node:fs";
import { processTree } from "./process-tree";

/** The CPU time that a process and the ones that it started have used so far, on all threads, in milliseconds. */
export const cpuMs = (pid: number): number => processTree(pid).reduce((sum, one) => sum + cpuMsOf(one), 0);

const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
