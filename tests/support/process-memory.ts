import { readdirSync, readFileSync } from "node:fs";

const MEBIBYTE = 1_024;

/** Resident memory of a process in MiB; undefined where the system does not tell. */
export const residentMebibytes = (pid: number): number | undefined => {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) / MEBIBYTE;
  } catch {
    return undefined;
  }
};

/** How many files and sockets a process has open; undefined where the system does not report it. */
export const openDescriptors = (pid: number): number | undefined => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
};
