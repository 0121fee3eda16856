import { refusedByPlatform } from "@/lib/core/app-error";
import { setNewest } from "@/lib/core/process-wide";
import { waitWords } from "@/lib/core/text";
import type { WhatsappLine } from "./client";
import { notSent, type RefusedSend, type SendOutcome } from "./post-message";

const WINDOW_MS = 10_000;
const THROTTLES_TO_OPEN = 5;
/** A throttle with a longer wait is probed at that pace, because WhatsApp also counts sends while it throttles. */
const FASTEST_PROBE_MS = 1_000;
/** Longer than any call: a probe without a response by then will never get one. */
const PROBE_LASTS_MS = 11_000;
/** While a probe is in flight its response decides, so a retry soon is worthwhile. */
const SECONDS_FOR_A_PROBE = 2;
const MAX_ENTRIES = 10_000;
const SCOPES = ["line", "pair"] as const;

type Scope = (typeof SCOPES)[number];

/** The line and the recipient of a send. `line` is its id, so other lines are unaffected. */
export type Target = { line: string; recipient: string };

/** A send that is let through while WhatsApp throttles is a probe; there is one at a time. */
export type Admission = { isAdmitted: true; isProbe: boolean } | HeldBack;
type HeldBack = { isAdmitted: false; scope: Scope; isProbed: boolean; retryAfterSeconds: number };

export type Throttle = { sentAtMs: number; nowMs: number; retryAfterSeconds: number };

type Entry = {
  throttledAtMs: number[];
  openedAtMs: number | null;
  probeMs: number;
  nextProbeAtMs: number;
  /** When the probe in flight began. */
  probingSinceMs: number | null;
};

/**
 * Returns whether a message that is posted now is a probe, for which `admitOrRefuse` must be asked first.
 * Throws a 502, `not_sent` with `retryAfterSeconds`, while WhatsApp throttles the line or the pair.
 */
export function assertNotThrottled(line: WhatsappLine, phone: string, nowMs: number): { isProbe: boolean } {
  const admission = breaker.inspect(targetOf(line, phone), nowMs);
  if (admission.isAdmitted) return admission;
  const { retryAfterSeconds } = admission;
  throw refusedByPlatform("platform", `${heldBackText(admission)} Nothing was sent.`, {
    retryable: true,
    retryAfterSeconds,
  });
}

/** Returns undefined if a message may be sent now. While WhatsApp throttles, that message is the probe. */
export function admitOrRefuse(line: WhatsappLine, phone: string, nowMs: number): RefusedSend | undefined {
  const admission = breaker.admit(targetOf(line, phone), nowMs);
  if (admission.isAdmitted) return undefined;
  return notSent(heldBackText(admission), admission.retryAfterSeconds);
}

function heldBackText({ scope, isProbed, retryAfterSeconds }: HeldBack): string {
  const what = scope === "line" ? "this line" : "messages from this line to this recipient";
  return isProbed
    ? `WhatsApp is throttling ${what} and another message is already probing it. Retry in a few seconds.`
    : `WhatsApp is throttling ${what}. Retry in ${waitWords(retryAfterSeconds)}, and send more slowly.`;
}

/**
 * Reports the outcome of a send that began at `sentAtMs`. Any response but a throttle proves that the throttle is
 * over, even a refusal; no response proves nothing.
 */
export function report(
  line: WhatsappLine,
  phone: string,
  { outcome, sentAtMs, nowMs }: { outcome: SendOutcome; sentAtMs: number; nowMs: number },
): void {
  const target = targetOf(line, phone);
  const throttled = outcome.outcome === "refused" ? outcome.throttled : null;
  if (outcome.outcome === "refused" && throttled) reportThrottle(line, phone, { outcome, sentAtMs, nowMs });
  else if (outcome.outcome === "refused" && !outcome.platform) breaker.recordNotSent(target, sentAtMs, nowMs);

  const isAnswered = outcome.outcome === "accepted" || outcome.platform !== null;
  // A line throttle says nothing about the pair; a pair throttle shows that the line is not throttled.
  if (isAnswered && throttled !== "line") breaker.recordAnswer(target, "line", sentAtMs);
  if (isAnswered && throttled === null) breaker.recordAnswer(target, "pair", sentAtMs);
}

/** The same for other refused calls, such as an upload: only throttles count. */
export function reportThrottle(
  line: WhatsappLine,
  phone: string,
  { outcome, sentAtMs, nowMs }: { outcome: RefusedSend; sentAtMs: number; nowMs: number },
): void {
  if (outcome.throttled === null) return;
  const retryAfterSeconds = outcome.retryAfterSeconds ?? 1;
  breaker.recordThrottle(targetOf(line, phone), outcome.throttled, { sentAtMs, nowMs, retryAfterSeconds });
}

const targetOf = ({ mode, whatsappPhoneNumberId }: WhatsappLine, recipient: string): Target => ({
  line: `${mode}/${whatsappPhoneNumberId}`,
  recipient,
});

/**
 * After 5 throttles in 10 s, blocks a line or pair until a probe gets another response. Holds at most 10,000
 * lines and pairs, evicting those longest without a throttle. All times are from `performance.now()`.
 */
export class ThrottleBreaker {
  readonly #entries = new Map<string, Entry>();

  /** Whether a send would be admitted; does not use up the probe. */
  inspect(target: Target, nowMs: number): Admission {
    // Both scopes are checked before a probe is used up: a probe that the other scope blocks would prove nothing.
    const open = this.#openFor(target, nowMs);
    for (const { scope, entry } of open) {
      const waitSeconds = Math.ceil((entry.nextProbeAtMs - nowMs) / 1_000);
      if (waitSeconds <= 0) continue;
      const isProbed = entry.probingSinceMs !== null && nowMs - entry.probingSinceMs < PROBE_LASTS_MS;
      const retryAfterSeconds = isProbed ? Math.min(SECONDS_FOR_A_PROBE, waitSeconds) : waitSeconds;
      return { isAdmitted: false, scope, isProbed, retryAfterSeconds };
    }
    return { isAdmitted: true, isProbe: open.length > 0 };
  }

  /** Called before each send. While the breaker is open, admits one probe at a time. */
  admit(target: Target, nowMs: number): Admission {
    const admission = this.inspect(target, nowMs);
    if (!admission.isAdmitted) return admission;
    for (const { entry } of this.#openFor(target, nowMs)) {
      entry.nextProbeAtMs = nowMs + entry.probeMs;
      entry.probingSinceMs = nowMs;
    }
    return admission;
  }

  /** WhatsApp throttled a send that began at `sentAtMs`: the whole line, or only this pair of line and recipient. */
  recordThrottle(target: Target, scope: Scope, { sentAtMs, nowMs, retryAfterSeconds }: Throttle): void {
    const key = keyOf(target, scope);
    const entry = this.#entries.get(key) ?? newEntry();
    entry.throttledAtMs = [...entry.throttledAtMs, nowMs]
      .filter((throttledAtMs) => nowMs - throttledAtMs < WINDOW_MS)
      .slice(-THROTTLES_TO_OPEN);
    entry.probeMs = Math.max(FASTEST_PROBE_MS, retryAfterSeconds * 1_000);
    if (entry.openedAtMs !== null) {
      entry.probingSinceMs = null;
      // Counted from the start of the probe, so slow responses do not slow down the probes.
      entry.nextProbeAtMs = Math.max(entry.nextProbeAtMs, sentAtMs + entry.probeMs);
    } else if (entry.throttledAtMs.length === THROTTLES_TO_OPEN) {
      entry.openedAtMs = nowMs;
      entry.nextProbeAtMs = nowMs + entry.probeMs;
    }
    setNewest(this.#entries, key, entry, MAX_ENTRIES);
  }

  /** WhatsApp responded to a send that began at `sentAtMs` without throttling this scope. */
  recordAnswer(target: Target, scope: Scope, sentAtMs: number): void {
    const openedAtMs = this.#entries.get(keyOf(target, scope))?.openedAtMs ?? null;
    // A send from before the breaker opened proves nothing.
    if (openedAtMs !== null && sentAtMs >= openedAtMs) this.#entries.delete(keyOf(target, scope));
  }

  /** An admitted send was never sent, so its probe is free again. */
  recordNotSent(target: Target, sentAtMs: number, nowMs: number): void {
    for (const { entry, openedAtMs } of this.#openFor(target, nowMs)) {
      if (sentAtMs < openedAtMs) continue;
      entry.probingSinceMs = null;
      entry.nextProbeAtMs = Math.min(entry.nextProbeAtMs, nowMs + FASTEST_PROBE_MS);
    }
  }

  /** Returns the open entries; an entry without a probe for a long time is stale and dropped. */
  #openFor(target: Target, nowMs: number) {
    return SCOPES.flatMap((scope) => {
      const entry = this.#entries.get(keyOf(target, scope));
      if (!entry || entry.openedAtMs === null) return [];
      const isStale = nowMs > entry.nextProbeAtMs + Math.max(WINDOW_MS, entry.probeMs);
      if (isStale) this.#entries.delete(keyOf(target, scope));
      return isStale ? [] : [{ scope, entry, openedAtMs: entry.openedAtMs }];
    });
  }
}

const breaker = new ThrottleBreaker();

const newEntry = (): Entry => ({
  throttledAtMs: [],
  openedAtMs: null,
  probeMs: FASTEST_PROBE_MS,
  nextProbeAtMs: 0,
  probingSinceMs: null,
});

const keyOf = ({ line, recipient }: Target, scope: Scope): string =>
  JSON.stringify(scope === "line" ? [line] : [line, recipient]);
