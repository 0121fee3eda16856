import { refusedByPlatform } from "@/lib/core/app-error";
import { processWide } from "@/lib/core/process-wide";
import { waitWords } from "@/lib/core/text";
import type { WhatsappLine } from "./client";
import { notSent, type RefusedSend, type SendOutcome } from "./post-message";

const WINDOW_MS = 10_000;
const THROTTLES_TO_OPEN = 5;
/** A throttle that names a longer wait is probed at that pace: WhatsApp counts what is sent while it throttles. */
const FASTEST_PROBE_MS = 1_000;
/** Longer than any call lasts: a probe without an answer by then never gets one. */
const PROBE_LASTS_MS = 11_000;
/** While a probe is under way its answer decides, so the next look is worth it soon. */
const SECONDS_FOR_A_PROBE = 2;
const MAX_ENTRIES = 10_000;
const SCOPES = ["line", "pair"] as const;

type Scope = (typeof SCOPES)[number];

/** Who is sending to whom; `line` is the line's id, so that other lines are untouched. */
export type Target = { line: string; recipient: string };

export type Admission = { isAdmitted: true } | HeldBack;
type HeldBack = { isAdmitted: false; scope: Scope; isProbed: boolean; retryAfterSeconds: number };

/** Every instant is of `performance.now()`, the monotonic clock. */
export type ThrottleBreaker = {
  /** Whether a send would be let through; spends nothing. */
  inspect: (target: Target, nowMs: number) => Admission;
  /** Whether WhatsApp throttles it, as far as is known, so that the next send may be a probe. */
  isOpen: (target: Target, nowMs: number) => boolean;
  /** Asked by each send that is about to be made. Where the breaker is open, one probe at a time is let through. */
  admit: (target: Target, nowMs: number) => Admission;
  /** WhatsApp throttled a send that began at `sentAtMs`: the whole line, or only this pair of line and recipient. */
  recordThrottle: (target: Target, scope: Scope, throttle: Throttle) => void;
  /** WhatsApp answered a send that began at `sentAtMs`, and did not throttle this scope. */
  recordAnswer: (target: Target, scope: Scope, sentAtMs: number) => void;
  /** A send that was let through never left, so its probe is free again. */
  recordNotSent: (target: Target, sentAtMs: number, nowMs: number) => void;
};

export type Throttle = { sentAtMs: number; nowMs: number; retryAfterSeconds: number };

type Entry = {
  throttledAtMs: number[];
  openedAtMs: number | null;
  probeMs: number;
  nextProbeAtMs: number;
  /** When the probe began that is under way. */
  probingSinceMs: number | null;
};

/** Throws a 502, `not_sent` with `retryAfterSeconds`, while WhatsApp throttles the line or the pair. */
export function refuseHeldBack(line: WhatsappLine, phone: string, nowMs: number): void {
  const admission = breaker().inspect(targetOf(line, phone), nowMs);
  if (admission.isAdmitted) return;
  const { retryAfterSeconds } = admission;
  throw refusedByPlatform("platform", `${heldBackText(admission)} Nothing was sent.`, {
    retryable: true,
    retryAfterSeconds,
  });
}

/** Whether WhatsApp throttles the line or the pair: then a send that is posted is a probe, of which there is one. */
export function isThrottled(line: WhatsappLine, phone: string, nowMs: number): boolean {
  return breaker().isOpen(targetOf(line, phone), nowMs);
}

/** Undefined where a message may be posted now. While WhatsApp throttles, that message is the probe. */
export function holdBack(line: WhatsappLine, phone: string, nowMs: number): RefusedSend | undefined {
  const admission = breaker().admit(targetOf(line, phone), nowMs);
  if (admission.isAdmitted) return undefined;
  return notSent(heldBackText(admission), admission.retryAfterSeconds);
}

const heldBackText = ({ scope, isProbed, retryAfterSeconds }: HeldBack): string => {
  const what = scope === "line" ? "this line" : "messages from this line to this recipient";
  return isProbed
    ? `WhatsApp is throttling ${what} and another message is already probing it. Retry in a few seconds.`
    : `WhatsApp is throttling ${what}. Retry in ${waitWords(retryAfterSeconds)}, and send more slowly.`;
};

/**
 * Reports to the breaker how a send ended that began at `sentAtMs`. Any answer that is no throttle shows that the throttle is
 * over, a refusal too; no answer shows nothing.
 */
export function report(
  line: WhatsappLine,
  phone: string,
  { outcome, sentAtMs, nowMs }: { outcome: SendOutcome; sentAtMs: number; nowMs: number },
): void {
  const target = targetOf(line, phone);
  const throttled = outcome.outcome === "refused" ? outcome.throttled : null;
  if (outcome.outcome === "refused" && throttled) reportThrottle(line, phone, { outcome, sentAtMs, nowMs });
  else if (outcome.outcome === "refused" && !outcome.platform) breaker().recordNotSent(target, sentAtMs, nowMs);

  const isAnswered = outcome.outcome === "accepted" || outcome.platform !== null;
  // A throttled line says nothing of the pair; a throttled pair shows that the line is not.
  if (isAnswered && throttled !== "line") breaker().recordAnswer(target, "line", sentAtMs);
  if (isAnswered && throttled === null) breaker().recordAnswer(target, "pair", sentAtMs);
}

/** The same for a refusal of something else than a message, such as an upload: it counts where it is a throttle. */
export function reportThrottle(
  line: WhatsappLine,
  phone: string,
  { outcome, sentAtMs, nowMs }: { outcome: RefusedSend; sentAtMs: number; nowMs: number },
): void {
  if (outcome.throttled === null) return;
  const retryAfterSeconds = outcome.retryAfterSeconds ?? 1;
  breaker().recordThrottle(targetOf(line, phone), outcome.throttled, { sentAtMs, nowMs, retryAfterSeconds });
}

const breaker = (): ThrottleBreaker => processWide("throttleBreaker", createThrottleBreaker);

const targetOf = ({ mode, whatsappPhoneNumberId }: WhatsappLine, recipient: string): Target => ({
  line: `${mode}/${whatsappPhoneNumberId}`,
  recipient,
});

/**
 * After 5 throttles in 10 s a line, or a pair, is closed to further sends until one gets another answer. Holds 10,000
 * lines and pairs at most, forgetting those longest without a throttle.
 */
export function createThrottleBreaker(): ThrottleBreaker {
  const entries = new Map<string, Entry>();

  /** Where no probe was asked for in a long time, the throttle is history. */
  const openFor = (target: Target, nowMs: number) =>
    SCOPES.flatMap((scope) => {
      const entry = entries.get(keyOf(target, scope));
      if (!entry || entry.openedAtMs === null) return [];
      const isStale = nowMs > entry.nextProbeAtMs + Math.max(WINDOW_MS, entry.probeMs);
      if (isStale) entries.delete(keyOf(target, scope));
      return isStale ? [] : [{ scope, entry, openedAtMs: entry.openedAtMs }];
    });
  // Both are asked before either probe is spent: a probe that the other refuses would prove nothing.
  const inspect = (target: Target, nowMs: number): Admission => {
    for (const { scope, entry } of openFor(target, nowMs)) {
      const waitSeconds = Math.ceil((entry.nextProbeAtMs - nowMs) / 1_000);
      if (waitSeconds <= 0) continue;
      const isProbed = entry.probingSinceMs !== null && nowMs - entry.probingSinceMs < PROBE_LASTS_MS;
      const retryAfterSeconds = isProbed ? Math.min(SECONDS_FOR_A_PROBE, waitSeconds) : waitSeconds;
      return { isAdmitted: false, scope, isProbed, retryAfterSeconds };
    }
    return { isAdmitted: true };
  };

  return {
    inspect,
    isOpen: (target, nowMs) => openFor(target, nowMs).length > 0,

    admit: (target, nowMs) => {
      const admission = inspect(target, nowMs);
      if (!admission.isAdmitted) return admission;
      for (const { entry } of openFor(target, nowMs)) {
        entry.nextProbeAtMs = nowMs + entry.probeMs;
        entry.probingSinceMs = nowMs;
      }
      return admission;
    },

    recordThrottle: (target, scope, { sentAtMs, nowMs, retryAfterSeconds }) => {
      const key = keyOf(target, scope);
      const entry = entries.get(key) ?? newEntry();
      entry.throttledAtMs = [...entry.throttledAtMs, nowMs]
        .filter((throttledAtMs) => nowMs - throttledAtMs < WINDOW_MS)
        .slice(-THROTTLES_TO_OPEN);
      entry.probeMs = Math.max(FASTEST_PROBE_MS, retryAfterSeconds * 1_000);
      if (entry.openedAtMs !== null) {
        entry.probingSinceMs = null;
        // Counted from when the probe began, so that slow answers do not slow the probes down.
        entry.nextProbeAtMs = Math.max(entry.nextProbeAtMs, sentAtMs + entry.probeMs);
      } else if (entry.throttledAtMs.length === THROTTLES_TO_OPEN) {
        entry.openedAtMs = nowMs;
        entry.nextProbeAtMs = nowMs + entry.probeMs;
      }
      // Deleted and set again, so that the map's order is the order of the last throttle.
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > MAX_ENTRIES) forgetOldest(entries);
    },

    recordAnswer: (target, scope, sentAtMs) => {
      const openedAtMs = entries.get(keyOf(target, scope))?.openedAtMs ?? null;
      // A send from before the breaker opened proves nothing.
      if (openedAtMs !== null && sentAtMs >= openedAtMs) entries.delete(keyOf(target, scope));
    },

    recordNotSent: (target, sentAtMs, nowMs) => {
      for (const { entry, openedAtMs } of openFor(target, nowMs)) {
        if (sentAtMs < openedAtMs) continue;
        entry.probingSinceMs = null;
        entry.nextProbeAtMs = Math.min(entry.nextProbeAtMs, nowMs + FASTEST_PROBE_MS);
      }
    },
  };
}

const newEntry = (): Entry => ({
  throttledAtMs: [],
  openedAtMs: null,
  probeMs: FASTEST_PROBE_MS,
  nextProbeAtMs: 0,
  probingSinceMs: null,
});

const keyOf = ({ line, recipient }: Target, scope: Scope): string =>
  JSON.stringify(scope === "line" ? [line] : [line, recipient]);

const forgetOldest = (entries: Map<string, Entry>): void => {
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
};
