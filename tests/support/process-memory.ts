import { readFileSync } from "node:fs";

const MEBIBYTE = 1_024;
const GROWTH_MEBIBYTES = 128;

/** Resident memory of a process in MiB; undefined where the system does not tell. */
export const residentMebibytes = (pid: number): number | undefined => {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) / MEBIBYTE;
  } catch {
    return undefined;
  }
};

/**
 * Whether memory still grows when the warm-up is long over: the second half of the samples stays above the first half's
 * end by more than a garbage collector leaves lying about.
 */
export const growsWithoutBound = (samples: readonly number[]): boolean => {
  if (samples.length < 8) return false;
  const half = Math.floor(samples.length / 2);
  const early = median(samples.slice(half / 2, half));
  const late = median(samples.slice(-Math.floor(half / 2)));
  return late - early > GROWTH_MEBIBYTES;
};

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
