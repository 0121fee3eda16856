/** What one holder has of a budget. */
export type Holding = {
  /** False where the bytes were not free within `waitMs`; then they must not be kept. */
  take: (bytes: number, options: { waitMs: number }) => Promise<boolean>;
  /** Gives back everything, for good. */
  release: () => void;
};

type Waiting = { bytes: number; grant: () => void };

/** So many bytes may be held at once; who wants more waits in the order of coming. */
export class ByteBudget {
  private held = 0;
  private waiting: Waiting[] = [];

  constructor(private readonly capacity: number) {}

  hold(): Holding {
    let taken = 0;
    let isReleased = false;
    return {
      take: async (bytes, { waitMs }) => {
        if (isReleased || !(await this.reserve(bytes, waitMs))) return false;
        // Released while it waited: nobody would give these back.
        if (isReleased) this.giveBack(bytes);
        else taken += bytes;
        return !isReleased;
      },
      release: () => {
        isReleased = true;
        this.giveBack(taken);
        taken = 0;
      },
    };
  }

  private reserve(bytes: number, waitMs: number): Promise<boolean> {
    if (this.waiting.length === 0 && this.held + bytes <= this.capacity) {
      this.held += bytes;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const giveUp = () => {
        this.waiting = this.waiting.filter((other) => other !== entry);
        resolve(false);
        this.grantWaiting();
      };
      const timer = setTimeout(giveUp, waitMs);
      const grant = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const entry: Waiting = { bytes, grant };
      this.waiting.push(entry);
    });
  }

  private giveBack(bytes: number): void {
    this.held -= bytes;
    this.grantWaiting();
  }

  private grantWaiting(): void {
    for (let [next] = this.waiting; next && this.held + next.bytes <= this.capacity; [next] = this.waiting) {
      this.waiting.shift();
      this.held += next.bytes;
      next.grant();
    }
  }
}
