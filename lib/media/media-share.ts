import { AppError } from "@/lib/core/app-error";
import { type Bound, Budget } from "@/lib/core/budget";
import { processWide } from "@/lib/core/process-wide";
import type { WorkspaceId } from "@/lib/core/workspace-id";

const MEBIBYTE = 1024 * 1024;

/** Links that are fetched at once: each is a look-up or a connection for 8 s at most. A carousel has ten. */
const PLACES = { inAll: 100, each: 20 };
/** Bytes that are fetched and not yet uploaded. Ten videos of one carousel have 160 MB. */
const MEMORY = { inAll: 256 * MEBIBYTE, each: 160 * MEBIBYTE };
const WAIT_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** What one send, or one template's samples, takes of its workspace's part of this process. */
export type MediaShare = {
  /** Runs `work` once a link may be fetched. Throws SERVICE_UNAVAILABLE where that is not so within a second. */
  inPlace: <T>(work: () => Promise<T>) => Promise<T>;
  /** Holds so many bytes until the release. Throws SERVICE_UNAVAILABLE where they are not free within a second. */
  hold: (bytes: number) => Promise<void>;
  /** Gives back all bytes. */
  release: () => void;
};

export type MediaBudgets = { places: Budget; memory: Budget };

/** Those of this process; tests make smaller ones. */
const budgets = (): MediaBudgets =>
  processWide("mediaBudgets", () => ({ places: new Budget(PLACES), memory: new Budget(MEMORY) }));

export function takeMediaShare(workspaceId: WorkspaceId, { places, memory }: MediaBudgets = budgets()): MediaShare {
  const bytes = memory.hold(workspaceId);
  return {
    inPlace: (work) =>
      places.run(workspaceId, work, { waitMs: WAIT_MS, refusal: (bound) => busy(PLACES_TAKEN[bound]) }),
    hold: async (amount) => {
      const bound = await bytes.take(amount, { waitMs: WAIT_MS });
      if (bound) throw busy(MEMORY_TAKEN[bound]);
    },
    release: bytes.release,
  };
}

const PLACES_TAKEN: Record<Bound, string> = {
  share: `This workspace already fetches ${PLACES.each} linked media, the most at once.`,
  all: "This server already fetches as many linked media as it can at once.",
};

const MEMORY_TAKEN: Record<Bound, string> = {
  share: `This workspace already holds ${MEMORY.each / MEBIBYTE} MB of linked media, the most at once.`,
  all: "This server already holds as much linked media as it can at once.",
};

const busy = (what: string) =>
  new AppError("SERVICE_UNAVAILABLE", `${what} Nothing was sent; retry with the same Idempotency-Key.`, {
    details: { outcome: "not_sent", retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
