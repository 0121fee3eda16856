/** An instant on both clocks of this machine: one may be set, the other stands still while the machine sleeps. */
export type Instant = { monotonicMs: number; wallMs: number };

type End = { sureUntil: Instant; overAtMs: number };

/** In the last second of a window the store decides: this machine's clocks and the store's do not run alike to the second. */
const LEFT_TO_STORE_MS = 1_000;

/**
 * Limits that the store has found used up. In a fixed window a used-up limit stays so until the window ends, so that
 * until then there is no need to ask. Bounded: the id that was asked for longest ago makes room.
 */
export class FullWindows {
  private readonly ends = new Map<string, End>();

  constructor(private readonly maxIds = 50_000) {}

  /** The store was asked at `asked`, and its answer was there at `answered`: the window has `resetInMs` left. */
  remember(id: string, { resetInMs, asked, answered }: { resetInMs: number; asked: Instant; answered: Instant }): void {
    const sureMs = resetInMs - LEFT_TO_STORE_MS;
    this.put(id, {
      sureUntil: { monotonicMs: asked.monotonicMs + sureMs, wallMs: asked.wallMs + sureMs },
      overAtMs: answered.monotonicMs + resetInMs,
    });
  }

  /** In how many milliseconds the window is over, where its limit is surely still used up. */
  resetInMs(id: string, now: Instant): number | undefined {
    const end = this.ends.get(id);
    if (!end) return undefined;
    if (now.monotonicMs >= end.sureUntil.monotonicMs || now.wallMs >= end.sureUntil.wallMs) {
      this.ends.delete(id);
      return undefined;
    }
    this.put(id, end);
    return end.overAtMs - now.monotonicMs;
  }

  private put(id: string, end: End): void {
    this.ends.delete(id);
    if (this.ends.size >= this.maxIds) {
      const [oldest] = this.ends.keys();
      if (oldest !== undefined) this.ends.delete(oldest);
    }
    this.ends.set(id, end);
  }
}
