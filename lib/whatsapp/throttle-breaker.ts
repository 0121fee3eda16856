import { refusedByPlatform } from "@/lib/errors";
import { processWide } from "@/lib/process-wide";
import type { WhatsappLine } from "./client";
import type { SendOutcome } from "./send-message";

const WINDOW_MS = 10_000;
const THROTTLES_TO_OPEN = 5;
const PROBE_EVERY_MS = 1_000;
const MAX_ENTRIES = 10_000;
const SCOPES = ["line", "pair"] as const;

/** Who is sending to whom; `line` is the line's id, so that other lines are untouched. */
export type Target = { line: string; recipient: string };

export type Admission = { isAdmitted: true } | { isAdmitted: false; scope: "line" | "pair"; retryAfterSeconds: number };

export type ThrottleBreaker = {
  /** Whether a send would be let through; spends nothing. */
  inspect: (target: Target, nowMs: number) => Admission;
  /** Asked by each send that is about to be made. Where the breaker is open, one a second probes whether it is over. */
  admit: (target: Target, nowMs: number) => Admission;
  /** The platform throttled a send: the whole line, or only this pair of line and recipient. */
  recordThrottle: (target: Target, scope: "line" | "pair", nowMs: number) => void;
  /** The platform accepted a send that began at `sentAtMs`; one from before the breaker opened proves nothing. */
  recordSuccess: (target: Target, sentAtMs: number) => void;
};

type Entry = { throttledAtMs: number[]; openedAtMs: number | null; probedAtMs: number };

/** Throws a 502, `not_sent` with `retryAfterSeconds`, while the platform throttles the line or the pair. */
export const refuseHeldBack = (line: WhatsappLine, phone: string, nowMs: number): void =>
  refuseUnlessAdmitted(breaker().inspect(targetOf(line, phone), nowMs), {});

/** The same for a message that is about to be posted: it is the probe, where one is due. */
export const admit = (line: WhatsappLine, phone: string, { messageId, nowMs }: { messageId: string; nowMs: number }) =>
  refuseUnlessAdmitted(breaker().admit(targetOf(line, phone), nowMs), { messageId });

const refuseUnlessAdmitted = (admission: Admission, details: { messageId?: string }): void => {
  if (admission.isAdmitted) return;
  const { scope, retryAfterSeconds } = admission;
  const what = scope === "line" ? "this line" : "messages from this line to this recipient";
  throw refusedByPlatform(
    "platform",
    `The platform throttles ${what}, so nothing was sent. Retry in ${retryAfterSeconds} s, and send more slowly.`,
    { ...details, retryable: true, retryAfterSeconds },
  );
};

/** Tells the breaker how a send ended that began at `sentAtMs`. */
export const report = (
  line: WhatsappLine,
  phone: string,
  { outcome, sentAtMs, nowMs }: { outcome: SendOutcome; sentAtMs: number; nowMs: number },
): void => {
  const target = targetOf(line, phone);
  if (outcome.outcome === "accepted") breaker().recordSuccess(target, sentAtMs);
  if (outcome.outcome === "refused" && outcome.throttled) breaker().recordThrottle(target, outcome.throttled, nowMs);
};

const breaker = (): ThrottleBreaker => processWide("throttleBreaker", createThrottleBreaker);

const targetOf = ({ mode, whatsappPhoneNumberId }: WhatsappLine, recipient: string): Target => ({
  line: `${mode}/${whatsappPhoneNumberId}`,
  recipient,
});

/**
 * After 5 throttles in 10 s a line, or a pair, is closed to further sends until one gets through. Holds 10,000 lines
 * and pairs at most, forgetting those longest without a throttle.
 */
export const createThrottleBreaker = (): ThrottleBreaker => {
  const entries = new Map<string, Entry>();

  const openFor = (target: Target) =>
    SCOPES.flatMap((scope) => {
      const entry = entries.get(keyOf(target, scope));
      return entry && entry.openedAtMs !== null ? [{ scope, entry }] : [];
    });
  // Both are asked before either probe is spent: a probe that the other refuses would prove nothing.
  const inspect = (target: Target, nowMs: number): Admission => {
    for (const { scope, entry } of openFor(target)) {
      const waitMs = untilProbeMs(entry, nowMs);
      if (waitMs > 0) return { isAdmitted: false, scope, retryAfterSeconds: Math.ceil(waitMs / 1_000) };
    }
    return { isAdmitted: true };
  };

  return {
    inspect,

    admit: (target, nowMs) => {
      const admission = inspect(target, nowMs);
      if (!admission.isAdmitted) return admission;
      for (const { entry } of openFor(target)) {
        entry.probedAtMs = nowMs;
        // A clock set back must not make this probe look older than the opening.
        entry.openedAtMs = Math.min(entry.openedAtMs ?? nowMs, nowMs);
      }
      return admission;
    },

    recordThrottle: (target, scope, nowMs) => {
      const key = keyOf(target, scope);
      const entry = entries.get(key) ?? { throttledAtMs: [], openedAtMs: null, probedAtMs: nowMs };
      entry.throttledAtMs = [...entry.throttledAtMs, nowMs]
        .filter((throttledAtMs) => nowMs - throttledAtMs < WINDOW_MS)
        .slice(-THROTTLES_TO_OPEN);
      if (entry.openedAtMs === null && entry.throttledAtMs.length === THROTTLES_TO_OPEN) {
        entry.openedAtMs = nowMs;
        entry.probedAtMs = nowMs;
      }
      // Deleted and set again, so that the map's order is the order of the last throttle.
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > MAX_ENTRIES) forgetOldest(entries);
    },

    recordSuccess: (target, sentAtMs) => {
      for (const scope of SCOPES) {
        const key = keyOf(target, scope);
        const openedAtMs = entries.get(key)?.openedAtMs ?? null;
        if (openedAtMs !== null && sentAtMs >= openedAtMs) entries.delete(key);
      }
    },
  };
};

const keyOf = ({ line, recipient }: Target, scope: "line" | "pair"): string =>
  JSON.stringify(scope === "line" ? [line] : [line, recipient]);

/** Never more than the probe's pace, so that a clock set back cannot keep a line closed. */
const untilProbeMs = ({ probedAtMs }: Entry, nowMs: number): number => {
  const waitMs = probedAtMs + PROBE_EVERY_MS - nowMs;
  return waitMs > PROBE_EVERY_MS ? 0 : waitMs;
};

const forgetOldest = (entries: Map<string, Entry>): void => {
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
};
