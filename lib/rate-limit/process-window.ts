/** A fixed window counted by this process alone: what holds while the limiter's store is away. Bounded in memory. */
export class ProcessWindow {
  private bucket = -1;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly tokens: number,
    private readonly windowMs: number,
    private readonly maxIds = 50_000,
  ) {}

  take(id: string, nowMs: number): { isAllowed: boolean; remaining: number; resetAtMs: number } {
    const bucket = Math.floor(nowMs / this.windowMs);
    if (bucket !== this.bucket) {
      this.bucket = bucket;
      this.counts.clear();
    }
    const used = (this.counts.get(id) ?? 0) + 1;
    if (!this.counts.has(id) && this.counts.size >= this.maxIds) {
      const [oldest] = this.counts.keys();
      if (oldest !== undefined) this.counts.delete(oldest);
    }
    this.counts.set(id, used);
    return {
      isAllowed: used <= this.tokens,
      remaining: Math.max(0, this.tokens - used),
      resetAtMs: (bucket + 1) * this.windowMs,
    };
  }
}
