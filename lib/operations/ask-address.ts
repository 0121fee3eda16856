import { type Finding, failed, passed, warned } from "@/lib/core/finding";
import { whyUnreachable } from "@/lib/media/unreachable";

export type Answer = Asked & { status: number; headers: Headers; text: string };

const TIMEOUT_MS = 6_000;

/** Requests a URL without following redirects. Returns the response, or as `fault` why there is none. */
export async function askAddress(url: string, init: RequestInit = {}): Promise<Answer | { fault: string }> {
  const askedAtMs = Date.now();
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answeredAtMs = Date.now();
    return { askedAtMs, answeredAtMs, status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    return { fault: whyUnreachable(error, TIMEOUT_MS) };
  }
}

/** This machine's clock before and after a request, in epoch milliseconds. */
type Asked = { askedAtMs: number; answeredAtMs: number };

const WARN_BEYOND_MS = 2_000;
const FAIL_BEYOND_MS = 60_000;

/**
 * Returns by how much another clock is at least ahead of ours (negative: behind), excluding what the round trip could
 * explain. `grainMs` is the unit that the other clock rounds down to.
 */
export function certainSkewMs({ askedAtMs, answeredAtMs }: Asked, otherMs: number, grainMs = 0): number {
  if (otherMs > answeredAtMs) return otherMs - answeredAtMs;
  return Math.min(0, otherMs + grainMs - askedAtMs);
}

/** `whose` names the other clock: "the database’s". */
export function judgeSkew(name: string, whose: string, skewMs: number): Finding {
  const size = Math.abs(skewMs);
  if (size <= WARN_BEYOND_MS) return passed(name, `This machine’s clock agrees with ${whose}`);
  const words = `This machine’s clock is ${Math.round(size / 1_000)} s ${skewMs < 0 ? "ahead of" : "behind"} ${whose}`;
  const advice = "Switch on time synchronisation (NTP) on both. Sessions, limits and timelines go by the clock.";
  return size > FAIL_BEYOND_MS ? failed(name, words, advice) : warned(name, words, advice);
}
