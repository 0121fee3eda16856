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

/** Reports the progress of one body. */
export type Arrival = { take: (bytes: number) => void; end: () => void };

type Body = { bytes: number; isOver: boolean; evict: () => void };

/**
 * Limits the total bytes of incomplete bodies. At the limit it evicts the oldest body that holds at least the
 * average, so that neither small nor fast bodies are lost to large and slow ones. None waits, as it would for a Budget.
 */
export class ArrivingBytes {
  readonly #capacity: number;
  #held = 0;
  /** In order of their first byte. */
  readonly #bodies = new Set<Body>();

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** `evict` is called once if the body is evicted; its bytes are released by then. */
  begin(evict: () => void): Arrival {
    const body = { bytes: 0, isOver: false, evict };
    return {
      take: (bytes) => {
        if (body.isOver) return;
        // Ordered by first byte, because a body without bytes would free nothing.
        this.#bodies.add(body);
        body.bytes += bytes;
        this.#held += bytes;
        this.#makeRoom();
      },
      end: () => this.#drop(body),
    };
  }

  #makeRoom(): void {
    while (this.#held > this.#capacity) {
      const average = this.#held / this.#bodies.size;
      for (const body of this.#bodies) {
        if (body.bytes < average) continue;
        this.#drop(body);
        body.evict();
        break;
      }
    }
  }

  #drop(body: Body): void {
    if (this.#bodies.delete(body)) this.#held -= body.bytes;
    body.isOver = true;
  }
}

/** Kinds of senders. Each has its own capacity, so a flood from one does not block another. */
export type Sender = "webhooks" | "calls" | "strangers" | "forms" | "sandbox";

/** Per kind and process: thousands of typical bodies, or eight of the largest webhooks. */
const CAPACITY_BYTES = 32 * 1_024 * 1_024;

const room = new Map<Sender, ArrivingBytes>();

export function arrivingFrom(sender: Sender): ArrivingBytes {
  const own = room.get(sender) ?? new ArrivingBytes(CAPACITY_BYTES);
  room.set(sender, own);
  return own;
}

const KIB = 1_024;

/** Maximum body sizes in bytes, by kind of request. */
export const BODY_CAPS = {
  call: 256 * KIB,
  webhook: 4 * 1_024 * KIB,
  /** A page's action or send. Small, because parsing blocks all other requests. */
  action: 256 * KIB,
  /** Sign-in, and a page's other calls. */
  form: 64 * KIB,
  /** Media of test lines: a video of at most 16 MB, plus its form encoding. */
  sandbox: 17 * 1_024 * KIB,
  /** The built-in sandbox's other calls and webhooks, which are far smaller. */
  sandboxCall: 256 * KIB,
} as const;

/** Sets `key` as the newest entry of a map, and drops the oldest one beyond `most`. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
