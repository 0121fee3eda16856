import { quantile } from "../faults/fault";
import { request } from "../support/workspace";

const REPETITIONS = 20;
const WARM_UP = 2;

export type Times = { p50: number; p95: number };

/** Whole answers over a kept connection, one after the other; undefined where the page is not there. */
export const timesOf = async (url: string, cookie: string): Promise<Times | undefined> => {
  const times: number[] = [];
  for (let i = 0; i < REPETITIONS + WARM_UP; i++) {
    const startedAtMs = performance.now();
    const { status } = await request("GET", url, { headers: { cookie } });
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    if (i >= WARM_UP) times.push(performance.now() - startedAtMs);
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
};
