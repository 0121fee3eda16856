import { readdirSync, readFileSync } from "node:fs";
import { processTree } from "./process-tree";

const MEBIBYTE = 1_024;

/** Resident memory of a process and those that it started, in MiB; undefined where the system does not tell. */
export const residentMebibytes = (pid: number): number | undefined => sumOverTree(pid, ownResidentMebibytes);

/** Of the process alone; throws where the system does not report it. */
export const ownResidentMebibytes = (pid: number): number => {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes) / MEBIBYTE;
};

/** How many files and sockets they have open; undefined where the system does not report it. */
export const openDescriptors = (pid: number): number | undefined =>
  sumOverTree(pid, (one) => readdirSync(`/proc/${one}/fd`).length);

const sumOverTree = (pid: number, read: (pid: number) => number): number | undefined => {
  try {
    const sum = processTree(pid).reduce((total, one) => total + read(one), 0);
    return Number.isNaN(sum) ? undefined : sum;
  } catch {
    return undefined;
  }
};
