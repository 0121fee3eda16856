import { timingSafeEqual } from "node:crypto";

/** For so long a revocation may be answered 429 instead of 401. */
const TRUSTED_MS = 10_000;

/**
 * Key pairs that the database has proven a moment ago, with what is known of their holders. Secrets are compared as
 * hashes, in constant time. Bounded: the pair that was proven longest ago makes room.
 */
export class ProvenPairs<Holder> {
  private readonly pairs = new Map<string, { hash: Uint8Array; holder: Holder; provenAtMs: number }>();

  constructor(private readonly maxPairs = 10_000) {}

  /** `nowMs` is of the monotonic clock, from before the database was asked. */
  remember(apiKey: string, hash: Uint8Array, { holder, nowMs }: { holder: Holder; nowMs: number }): void {
    this.pairs.delete(apiKey);
    if (this.pairs.size >= this.maxPairs) {
      const [oldest] = this.pairs.keys();
      if (oldest !== undefined) this.pairs.delete(oldest);
    }
    this.pairs.set(apiKey, { hash, holder, provenAtMs: nowMs });
  }

  find(apiKey: string, hashSecret: () => Uint8Array, nowMs: number): Holder | undefined {
    const pair = this.pairs.get(apiKey);
    if (!pair) return undefined;
    if (nowMs - pair.provenAtMs >= TRUSTED_MS) {
      this.pairs.delete(apiKey);
      return undefined;
    }
    return timingSafeEqual(pair.hash, hashSecret()) ? pair.holder : undefined;
  }
}
