import { AppError } from "@/lib/core/app-error";
import { type Bound, Budget } from "@/lib/core/budget";
import type { WorkspaceId } from "@/lib/core/principal";
import { processWide } from "@/lib/core/process-wide";

const MEBIBYTE = 1024 * 1024;

/** Concurrent fetches of links: each is a DNS look-up or a connection, for at most 8 s. A carousel has ten. */
const PLACES = { inAll: 100, each: 20 };
/** Bytes fetched and not yet uploaded. Ten videos of one carousel have 160 MB. */
const MEMORY = { inAll: 256 * MEBIBYTE, each: 160 * MEBIBYTE };
const WAIT_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** The part of a workspace's share of this process that one send, or one template's samples, uses. */
export type MediaShare = {
  /** Runs `work` once a link may be fetched. Throws SERVICE_UNAVAILABLE after waiting a second. */
  inPlace: <T>(work: () => Promise<T>) => Promise<T>;
  /** Reserves bytes until the release. Throws SERVICE_UNAVAILABLE if they are not free within a second. */
  hold: (bytes: number) => Promise<void>;
  /** Releases all bytes. */
  release: () => void;
};

export type MediaBudgets = { places: Budget; memory: Budget };

/** Of the whole process, whose memory it is: pages and routes both fetch. Tests make smaller ones. */
const budgets = (): MediaBudgets =>
  processWide("mediaBudgets", () => ({ places: new Budget(PLACES), memory: new Budget(MEMORY) }));

/** `outcome` ends the refusal's message: what did not happen, and what to do. */
export function takeMediaShare(
  workspaceId: WorkspaceId,
  outcome: string,
  { places, memory }: MediaBudgets = budgets(),
): MediaShare {
  const bytes = memory.hold(workspaceId);
  return {
    inPlace: (work) =>
      places.run(workspaceId, work, { waitMs: WAIT_MS, refusal: (bound) => busy(PLACES_TAKEN[bound], outcome) }),
    hold: async (amount) => {
      const bound = await bytes.take(amount, { waitMs: WAIT_MS });
      if (bound) throw busy(MEMORY_TAKEN[bound], outcome);
    },
    release: bytes.release,
  };
}

const PLACES_TAKEN: Record<Bound, string> = {
  share: `This workspace already fetches ${PLACES.each} linked media, the maximum at once.`,
  all: "This server already fetches as many linked media as it can at once.",
};

const MEMORY_TAKEN: Record<Bound, string> = {
  share: `This workspace already holds ${MEMORY.each / MEBIBYTE} MB of linked media, the most at once.`,
  all: "This server already holds as much linked media as it can at once.",
};

const busy = (what: string, outcome: string) =>
  new AppError("SERVICE_UNAVAILABLE", `${what} ${outcome}`, {
    details: { outcome: "not_sent", retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
