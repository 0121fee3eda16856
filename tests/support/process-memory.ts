import { readFileSync } from "node:fs";

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
