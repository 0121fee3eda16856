import { whyUnreachable } from "@/lib/media/unreachable";
import type { Asked } from "./clock-skew";

export type Answer = Asked & { status: number; headers: Headers; text: string };

const TIMEOUT_MS = 6_000;

/** What is answered at an address, without following redirects; `fault` says as a clause why nothing is. */
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
