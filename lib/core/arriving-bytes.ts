/** The part of a body in the bytes that are arriving. */
export type Arrival = { take: (bytes: number) => void; end: () => void };

type Body = { bytes: number; isOver: boolean; giveWay: () => void };

/**
 * So many bytes of bodies may be on their way at once. Where there is no room, the oldest of those that hold at least the
 * average gives way: neither a small body nor one that is sent at once is given up for large ones and slow ones.
 */
export class ArrivingBytes {
  readonly #capacity: number;
  #held = 0;
  /** In the order of their first bytes. */
  readonly #bodies = new Set<Body>();

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** `giveWay` is called once, where the body must be given up; its bytes are free by then. */
  begin(giveWay: () => void): Arrival {
    const body = { bytes: 0, isOver: false, giveWay };
    return {
      take: (bytes) => {
        if (body.isOver) return;
        // Its place is that of its first byte: what has sent nothing would free nothing.
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
        body.giveWay();
        break;
      }
    }
  }

  #drop(body: Body): void {
    if (this.#bodies.delete(body)) this.#held -= body.bytes;
    body.isOver = true;
  }
}
