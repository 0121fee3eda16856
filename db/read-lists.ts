import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { DatabaseUnavailable, onReplica } from "./client";
import { measureReplicaLag, PrimaryUnavailable } from "./replica-lag";

/** Lists are read from the replica as long as it is at most this far behind. */
export const MAX_LAG_SECONDS = 10;
const CHECK_EVERY_MS = 1_000;
/** How long a failed replica is skipped; doubles with each failure. The next check runs in the background. */
const AWAY_MS = 5_000;
const LONGEST_AWAY_MS = 60_000;
/** One slow list may be the list's own fault; after so many in a row the replica is skipped even if it passes its checks. */
const FAILED_LISTS = 3;

/** Reads lists on the replica, or on the primary. */
export type ListReader = {
  /** Runs `work`, which only reads; on the primary if the replica is unusable or fails at it. */
  read: <T>(work: () => Promise<T>) => Promise<T>;
  /** How far the replica was behind at the last read; undefined if the primary was read. */
  readonly lagSeconds: number | undefined;
};

/**
 * For one page or export: once it has read the primary, it stays there. The replica may lack rows that the primary has
 * returned, so a list that went back would have gaps.
 */
export function listReader({ hasActed }: { hasActed: boolean }): ListReader {
  let isOnPrimary = hasActed || !env().DATABASE_REPLICA_URL;
  let lagSeconds: number | undefined;
  return {
    read: async (work) => {
      lagSeconds = isOnPrimary ? undefined : await usableLag();
      isOnPrimary = lagSeconds === undefined;
      if (isOnPrimary) return work();
      try {
        const result = await onReplica(work);
        // One that had begun before the failure is no proof that the replica is back.
        if (state.isAway) return result;
        if (state.failures > 0) log("info", "replica.back", { lagSeconds });
        Object.assign(state, { failures: 0, failedLists: 0 });
        return result;
      } catch (error) {
        // Whatever it is: what the replica lacks may be on the primary, and a fault of ours fails there, too.
        if (error instanceof DatabaseUnavailable && !error.hadNoEffect) doubt(error);
        [isOnPrimary, lagSeconds] = [true, undefined];
        return work();
      }
    },
    get lagSeconds() {
      return lagSeconds;
    },
  };
}

type State = {
  check?: Promise<void>;
  /** Infinity while a check runs. */
  nextCheckAtMs: number;
  lagSeconds?: number;
  isAway: boolean;
  /** Since it last served a list: it may pass its checks and fail at lists. */
  failures: number;
  failedLists: number;
};

const state = processWide("replica", (): State => ({ nextCheckAtMs: 0, isAway: false, failures: 0, failedLists: 0 }));

/** Undefined if lists must be read from the primary. */
async function usableLag(): Promise<number | undefined> {
  if (performance.now() >= state.nextCheckAtMs) state.check = check();
  if (state.isAway) return undefined;
  await state.check;
  return state.isAway ? undefined : state.lagSeconds;
}

async function check(): Promise<void> {
  const nextCheckAtMs = performance.now() + CHECK_EVERY_MS;
  state.nextCheckAtMs = Number.POSITIVE_INFINITY;
  try {
    const lagSeconds = await measureReplicaLag();
    if (lagSeconds > MAX_LAG_SECONDS) throw new Error(`It is ${Math.round(lagSeconds)} s behind.`);
    if (isChecking()) Object.assign(state, { lagSeconds, nextCheckAtMs, isAway: false });
  } catch (error) {
    if (!isChecking()) return;
    // A busy primary does not show how the replica is, and must not get its lists as well.
    if (error instanceof PrimaryUnavailable) state.nextCheckAtMs = nextCheckAtMs;
    else avoid(error);
  }
}

/** After a list without an answer others come from the primary until a check, which delays none of them, has passed. */
function doubt(error: DatabaseUnavailable): void {
  // An outage counts once, however many lists notice it.
  if (state.isAway) return;
  state.failedLists += 1;
  state.isAway = true;
  if (state.failedLists >= FAILED_LISTS) avoid(error);
  else if (!isChecking()) state.check = check();
}

/** False as well once failed lists have ended the replica's use during a check: then it decides nothing. */
const isChecking = (): boolean => state.nextCheckAtMs === Number.POSITIVE_INFINITY;

function avoid(error: unknown): void {
  if (state.failures === 0) log("warn", "replica.away", errorFields(error));
  const awayMs = Math.min(AWAY_MS * 2 ** state.failures, LONGEST_AWAY_MS);
  Object.assign(state, { isAway: true, failures: state.failures + 1, nextCheckAtMs: performance.now() + awayMs });
}
