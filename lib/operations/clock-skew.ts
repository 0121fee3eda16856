import { type Finding, type FindingName, failed, passed, warned } from "./finding";

/** Epoch milliseconds of this machine's clock, around a question. */
export type Asked = { askedAtMs: number; answeredAtMs: number };

const WARN_BEYOND_MS = 2_000;
const FAIL_BEYOND_MS = 60_000;

/**
 * By how much another clock is certainly ahead of ours (negative: behind): what the way there and back could explain is
 * left out. `grainMs` is the length of what the other clock rounds down to.
 */
export function certainSkewMs({ askedAtMs, answeredAtMs }: Asked, otherMs: number, grainMs = 0): number {
  if (otherMs > answeredAtMs) return otherMs - answeredAtMs;
  return Math.min(0, otherMs + grainMs - askedAtMs);
}

/** `whose` names the other clock: "the database’s". */
export function judgeSkew(name: FindingName, whose: string, skewMs: number): Finding {
  const size = Math.abs(skewMs);
  if (size <= WARN_BEYOND_MS) return passed(name, `This machine’s clock agrees with ${whose}`);
  const words = `This machine’s clock is ${Math.round(size / 1_000)} s ${skewMs < 0 ? "ahead of" : "behind"} ${whose}`;
  const advice = "Switch on time synchronisation (NTP) on both. Sessions, limits and timelines go by the clock.";
  return size > FAIL_BEYOND_MS ? failed(name, words, advice) : warned(name, words, advice);
}
