/** A fixed window counted in this process, used while the limiter's store is unavailable. Bounded in memory. */
export class ProcessWindow {
  private bucket = -1;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly tokens: number,
    private readonly windowMs: number,
    private readonly maxIds = 50_000,
  ) {}

  /** Stores the store's count, so that the window continues from it when the store becomes unavailable. */
  observe(id: string, used: number, nowMs: number): void {
    this.turnTo(nowMs);
    this.count(id, Math.max(used, this.counts.get(id) ?? 0));
  }

  take(id: string, nowMs: number): { isAllowed: boolean; remaining: number; resetAtMs: number } {
    this.turnTo(nowMs);
    const used = (this.counts.get(id) ?? 0) + 1;
    this.count(id, used);
    return {
      isAllowed: used <= this.tokens,
      remaining: Math.max(0, this.tokens - used),
      resetAtMs: (this.bucket + 1) * this.windowMs,
    };
  }

  private turnTo(nowMs: number): void {
    const bucket = Math.floor(nowMs / this.windowMs);
    if (bucket === this.bucket) return;
    this.bucket = bucket;
    this.counts.clear();
  }

  /** Evicts the least recently used id, never one in use. */
  private count(id: string, used: number): void {
    this.counts.delete(id);
    if (this.counts.size >= this.maxIds) {
      const [quietest] = this.counts.keys();
      if (quietest !== undefined) this.counts.delete(quietest);
    }
    this.counts.set(id, used);
  }
}
