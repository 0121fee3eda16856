import { monitorEventLoopDelay } from "node:perf_hooks";

const USUAL_MS = 1_000;

/** Measures from now on what a busy machine adds to a time that the product bounds: as it kept this process waiting, it kept the servers. */
export function watchNoise(): () => number {
  const delays = monitorEventLoopDelay();
  delays.enable();
  return () => USUAL_MS + delays.max / 1e6;
}
