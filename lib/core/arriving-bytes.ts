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
