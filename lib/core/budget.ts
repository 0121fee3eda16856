/** Which bound was in the way: the owner's own share, or that of all. */
export type Bound = "share" | "all";

export type Bounds = {
  inAll: number;
  /** For one owner; `inAll` where it is missing. */
  each?: number;
  /** Requests that wait, of all owners. */
  waiting?: number;
};

/** What one holder has of a budget. */
export type Holding = {
  /** Resolves with undefined once `amount` is held, or with the bound that was in the way for all of `waitMs`. */
  take: (amount: number, options: { waitMs: number }) => Promise<Bound | undefined>;
  /** Gives back everything and waits no longer, for good. A second time it changes nothing. */
  release: () => void;
};

type Waiting = { holder: object; owner: string; amount: number; grant: () => void; giveUp: () => void };

/**
 * A share of what is scarce (places, bytes, connections) for each cause, and a bound in all. Guarantees: neither bound is
 * ever passed; one owner is served in the order of coming, and a large amount is not overtaken by a smaller one of the same
 * owner; of several owners, the one that holds least is next, and those that hold as much take turns, so that many requests
 * of one never keep another out. Where too many wait, the owner with most of them loses its last.
 */
export class Budget {
  readonly #bounds: Required<Bounds>;
  readonly #held = new Map<string, number>();
  /** Those who wait, by owner, in the order of their turns. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #total = 0;
  #waiting = 0;

  constructor({ inAll, each = inAll, waiting = Number.POSITIVE_INFINITY }: Bounds) {
    this.#bounds = { inAll, each, waiting };
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
        // Released while it waited: nothing else would give this back.
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

  /** Runs `work` while one is held for it. Throws what `refusal` makes of the bound that was in the way for `waitMs`. */
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

  /** Takes it at once where no one waits. */
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
      if (this.#waiting > this.#bounds.waiting) this.#lastOfMost(entry.owner)?.giveUp();
    });
  }

  #leaveLine(entry: Waiting): void {
    const line = this.#lines.get(entry.owner);
    if (!line?.delete(entry)) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(entry.owner);
  }

  /** The last one waiting of the owner with most of them; of `newcomer` where no other has more. */
  #lastOfMost(newcomer: string): Waiting | undefined {
    let most = this.#lines.get(newcomer) ?? new Set<Waiting>();
    for (const line of this.#lines.values()) if (line.size > most.size) most = line;
    return [...most].at(-1);
  }

  #giveBack(owner: string, amount: number): void {
    this.#change(owner, -amount);
    this.#grantWaiting();
  }

  #grantWaiting(): void {
    // A large amount is not overtaken by smaller ones: it would never be served.
    for (let next = this.#next(); next && this.#total + next.amount <= this.#bounds.inAll; next = this.#next()) {
      this.#change(next.owner, next.amount);
      next.grant();
      // Among those that hold as much, the others come first now.
      const line = this.#lines.get(next.owner);
      if (line && this.#lines.delete(next.owner)) this.#lines.set(next.owner, line);
    }
  }

  /** The first of the owner that holds least, among those within their share. */
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
