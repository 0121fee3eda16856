import type { Finding } from "./scene";
import type { World } from "./world";

/** One kind of accident: produced, lived through, and looked at afterwards. */
export type Fault = {
  title: string;
  /** Part of `npm test`, too. */
  isShort: boolean;
  run: (world: World, options: { isShort: boolean }) => Promise<Finding>;
};

/** Collects what a fault shows. */
export class Findings implements Finding {
  runs = 0;
  recoveryMs: number | null = null;
  readonly faults: string[] = [];
  readonly notes: string[] = [];

  recovered(ms: number): void {
    this.recoveryMs = Math.max(this.recoveryMs ?? 0, ms);
  }

  expect(isTrue: boolean, what: string): void {
    if (!isTrue) this.faults.push(what);
  }
}

/** Runs `work` and returns what it has found. */
export function once(work: (findings: Findings, world: World) => Promise<unknown>): Fault["run"] {
  return async (world) => {
    const findings = new Findings();
    await work(findings, world);
    return findings;
  };
}

/** Runs `work` so many times, and once in the short part. */
export function repeated(
  times: number,
  work: (findings: Findings, world: World, run: number) => Promise<unknown>,
): Fault["run"] {
  return async (world, { isShort }) => {
    const findings = new Findings();
    for (let run = 0; run < (isShort ? 1 : times); run++) {
      findings.runs += 1;
      await work(findings, world, run);
    }
    return findings;
  };
}

/** The value below which `share` of all lie. */
export const quantile = (values: number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};
