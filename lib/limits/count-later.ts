import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { WINDOW_MS } from "./policies";
import { takeFromWindow } from "./postgres-window";

const WRITE_EVERY_MS = 1_000;
const MOST_IDS = 10_000;

/**
 * Counts a request in the window of `id` within a second, for an answer that needs no statement. The window ends at
 * `endsAtMs` of the monotonic clock; what is not written by then is forgotten with it. False where too many wait.
 */
export function countLater(id: string, endsAtMs: number): boolean {
  const { counts } = owed();
  const before = counts.get(id);
  if (!before && counts.size >= MOST_IDS) return false;
  counts.set(id, { count: (before?.count ?? 0) + 1, endsAtMs });
  writeSoon();
  return true;
}

type Owed = { counts: Map<string, { count: number; endsAtMs: number }>; timer: NodeJS.Timeout | undefined };

const owed = () => processWide("owed-requests", (): Owed => ({ counts: new Map(), timer: undefined }));

const writeSoon = () => {
  const current = owed();
  current.timer ??= setTimeout(() => void write(current), WRITE_EVERY_MS).unref();
};

/** Never rejects. One after the other, on one connection. */
const write = async (current: Owed): Promise<void> => {
  const batch = [...current.counts];
  current.counts.clear();
  try {
    for (let next = batch[0]; next; next = batch[0]) {
      const [id, { count, endsAtMs }] = next;
      if (performance.now() < endsAtMs) await takeFromWindow(id, count, WINDOW_MS);
      batch.shift();
    }
  } catch (error) {
    log("warn", "limiter.counts-wait", errorFields(error));
    for (const [id, { count, endsAtMs }] of batch) {
      current.counts.set(id, { count: count + (current.counts.get(id)?.count ?? 0), endsAtMs });
    }
  }
  current.timer = undefined;
  if (current.counts.size > 0) writeSoon();
};
