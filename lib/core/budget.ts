/** The limit that was reached: the owner's share, or the total. */
export type Bound = "share" | "all";

export type Bounds = {
  inAll: number;
  /** Limit per owner; defaults to `inAll`. */
  each?: number;
  /** The most waiting requests, in total. */
  waiting?: number;
};

/** One holder's part of a budget. */
export type Holding = {
  /** Resolves with undefined once `amount` is held, or after `waitMs` with the limit that was reached. */
  take: (amount: number, options: { waitMs: number }) => Promise<Bound | undefined>;
  /** Releases everything and stops waiting, permanently. Idempotent. */
  release: () => void;
};

type Waiting = { holder: object; owner: string; amount: number; grant: () => void; giveUp: () => void };

/**
 * Shares a scarce resource (slots, bytes, connections), with a limit per owner and in total. Guarantees: neither is
 * exceeded; an owner is served in order of arrival, also where a later request is smaller. Between owners, the one
 * that holds least is next, and owners that hold equally much take turns, so many requests of one never block
 * another. If too many wait, the owner with the most waiting loses its last one.
 */
export class Budget {
  readonly #bounds: Required<Bounds>;
  readonly #held = new Map<string, number>();
  /** Waiting requests by owner, in the order of their turns. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #total = 0;
  #waiting = 0;

  constructor({ inAll, each = inAll, waiting = Number.POSITIVE_INFINITY }: Bounds) {
    this.#bounds = { inAll, each, waiting };
  }

  /** What is held now, in total, and how many requests wait. */
  get load(): { held: number; waiting: number } {
    return { held: this.#total, waiting: this.#waiting };
  }

  hold(owner: string): Holding {
    let taken = 0;
    let isReleased = false;
    const holder = {};
    return {
      take: async (amount, { waitMs }) => {
        if (isReleased) return "share";
        const bound = this.#isFree(owner, amount) ? undefined : await this.#wait({ holder, owner, amount }, waitMs);
        if (bound) return bound;
        // Released while waiting: nothing else would return this amount.
        if (isReleased) this.#giveBack(owner, amount);
        else taken += amount;
        return isReleased ? "share" : undefined;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        for (const entry of this.#lines.get(owner) ?? []) if (entry.holder === holder) entry.giveUp();
        this.#giveBack(owner, taken);
      },
    };
  }

  /** Runs `work` while holding one. After `waitMs` throws the error that `refusal` returns for the limit reached. */
  async run<T>(
    owner: string,
    work: () => Promise<T>,
    { waitMs, refusal }: { waitMs: number; refusal: (bound: Bound) => Error },
  ): Promise<T> {
    const place = this.hold(owner);
    const bound = await place.take(1, { waitMs });
    if (bound) throw refusal(bound);
    try {
      return await work();
    } finally {
      place.release();
    }
  }

  /** Takes the amount immediately if no one is waiting. */
  #isFree(owner: string, amount: number): boolean {
    const isFree =
      this.#waiting === 0 && this.#isWithinShare(owner, amount) && this.#total + amount <= this.#bounds.inAll;
    if (isFree) this.#change(owner, amount);
    return isFree;
  }

  #wait(asked: Pick<Waiting, "holder" | "owner" | "amount">, waitMs: number): Promise<Bound | undefined> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (bound: Bound | undefined) => {
        clearTimeout(timer);
        this.#leaveLine(entry);
        resolve(bound);
      };
      const entry: Waiting = {
        ...asked,
        grant: () => end(undefined),
        giveUp: () => {
          end(this.#isWithinShare(entry.owner, entry.amount) ? "all" : "share");
          this.#grantWaiting();
        },
      };
      if (waitMs < Number.POSITIVE_INFINITY) timer = setTimeout(entry.giveUp, waitMs);
      const line = this.#lines.get(entry.owner) ?? new Set();
      this.#lines.set(entry.owner, line.add(entry));
      this.#waiting += 1;
      this.#grantWaiting();
      if (this.#waiting > this.#bounds.waiting) this.#lastOfLongestLine(entry.owner)?.giveUp();
    });
  }

  #leaveLine(entry: Waiting): void {
    const line = this.#lines.get(entry.owner);
    if (!line?.delete(entry)) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(entry.owner);
  }

  /** Returns the last request of the owner with the most waiting; of `newcomer` on a tie. */
  #lastOfLongestLine(newcomer: string): Waiting | undefined {
    let most = this.#lines.get(newcomer) ?? new Set<Waiting>();
    for (const line of this.#lines.values()) if (line.size > most.size) most = line;
    return [...most].at(-1);
  }

  #giveBack(owner: string, amount: number): void {
    this.#change(owner, -amount);
    this.#grantWaiting();
  }

  #grantWaiting(): void {
    // Smaller requests do not overtake a large one, which would otherwise never be served.
    for (let next = this.#next(); next && this.#total + next.amount <= this.#bounds.inAll; next = this.#next()) {
      this.#change(next.owner, next.amount);
      next.grant();
      // Moved to the end: owners that hold equally much come first now.
      const line = this.#lines.get(next.owner);
      if (line && this.#lines.delete(next.owner)) this.#lines.set(next.owner, line);
    }
  }

  /** Returns the first request of the owner that holds least, among owners within their share. */
  #next(): Waiting | undefined {
    let least: Waiting | undefined;
    for (const [first] of this.#lines.values()) {
      if (!first || !this.#isWithinShare(first.owner, first.amount)) continue;
      if (!least || this.#heldBy(first.owner) < this.#heldBy(least.owner)) least = first;
    }
    return least;
  }

  #isWithinShare(owner: string, amount: number): boolean {
    return this.#heldBy(owner) + amount <= this.#bounds.each;
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  #change(owner: string, by: number): void {
    this.#total += by;
    const left = this.#heldBy(owner) + by;
    if (left === 0) this.#held.delete(owner);
    else this.#held.set(owner, left);
  }
}
