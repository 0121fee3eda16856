/** Which bound was in the way: the workspace's own share, or that of the whole process. */
export type Bound = "share" | "all";

/** What one holder has of a budget. */
export type Holding = {
  /** Resolves with undefined once `amount` is held, or with the bound that was in the way for all of `waitMs`. */
  take: (amount: number, options: { waitMs: number }) => Promise<Bound | undefined>;
  /** Gives back everything and waits no longer, for good. */
  release: () => void;
};

type Waiting = { holder: object; owner: string; amount: number; grant: () => void; giveUp: () => void };

/**
 * So much may be held at once, by all and by each owner. Of those who wait, the owner that holds least is served next, so
 * that many requests of one never keep another waiting. Where too many wait, the owner with most of them loses its last.
 */
export class Budget {
  private readonly held = new Map<string, number>();
  private total = 0;
  private waiting: Waiting[] = [];

  constructor(private readonly most: { inAll: number; each: number; waiting?: number }) {}

  hold(owner: string): Holding {
    let taken = 0;
    let isReleased = false;
    const holder = {};
    return {
      take: async (amount, { waitMs }) => {
        if (isReleased) return "share";
        const bound = await this.reserve({ holder, owner, amount }, waitMs);
        if (bound) return bound;
        // Released while it waited: nothing else would give this back.
        if (isReleased) this.giveBack(owner, amount);
        else taken += amount;
        return isReleased ? "share" : undefined;
      },
      release: () => {
        isReleased = true;
        for (const entry of this.waiting.filter((other) => other.holder === holder)) entry.giveUp();
        this.giveBack(owner, taken);
        taken = 0;
      },
    };
  }

  private reserve(asked: Pick<Waiting, "holder" | "owner" | "amount">, waitMs: number): Promise<Bound | undefined> {
    return new Promise((resolve) => {
      const giveUp = () => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((other) => other !== entry);
        resolve(this.isWithinShare(entry) ? "all" : "share");
        this.grantWaiting();
      };
      const timer = setTimeout(giveUp, waitMs);
      const grant = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
      const entry: Waiting = { ...asked, grant, giveUp };
      this.waiting.push(entry);
      this.grantWaiting();
      if (this.waiting.length > (this.most.waiting ?? Number.POSITIVE_INFINITY)) this.lastOfMost(asked.owner)?.giveUp();
    });
  }

  /** The last one waiting of the owner with most of them; of `newcomer` where no other has more. */
  private lastOfMost(newcomer: string): Waiting | undefined {
    const counts = new Map([[newcomer, 0]]);
    for (const { owner } of this.waiting) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const [most] = [...counts].reduce((first, other) => (other[1] > first[1] ? other : first));
    return this.waiting.findLast(({ owner }) => owner === most);
  }

  private giveBack(owner: string, amount: number): void {
    this.change(owner, -amount);
    this.grantWaiting();
  }

  private grantWaiting(): void {
    // A large amount is not overtaken by smaller ones: it would never be served.
    for (let next = this.next(); next && this.total + next.amount <= this.most.inAll; next = this.next()) {
      const granted = next;
      this.waiting = this.waiting.filter((other) => other !== granted);
      this.change(granted.owner, granted.amount);
      granted.grant();
    }
  }

  /** The first of the owner that holds least, among those within their share. */
  private next(): Waiting | undefined {
    const heads = new Map<string, Waiting>();
    for (const entry of this.waiting) if (!heads.has(entry.owner)) heads.set(entry.owner, entry);
    return [...heads.values()]
      .filter((entry) => this.isWithinShare(entry))
      .reduce<Waiting | undefined>(
        (least, entry) => (least && this.heldBy(least.owner) <= this.heldBy(entry.owner) ? least : entry),
        undefined,
      );
  }

  private isWithinShare({ owner, amount }: Waiting): boolean {
    return this.heldBy(owner) + amount <= this.most.each;
  }

  private heldBy(owner: string): number {
    return this.held.get(owner) ?? 0;
  }

  private change(owner: string, by: number): void {
    this.total += by;
    const left = this.heldBy(owner) + by;
    if (left === 0) this.held.delete(owner);
    else this.held.set(owner, left);
  }
}
