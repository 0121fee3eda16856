import { errorFields, log } from "./log";
import { processWide } from "./process-wide";

type DueWorkOptions = {
  /** Concurrent workers of the process. */
  most: number;
  /** The log event of a worker that failed, such as of a lost database. */
  failure: string;
};

/**
 * Runs a queue that lies in the database: `runNext` claims and does the next piece of work, and returns false once none is due.
 * `run` adds a worker and resolves when all are done; it never rejects. Work queued while a worker found none is not missed.
 */
export class DueWork {
  private readonly running = new Set<Promise<void>>();
  /** Workers that still look for work: a promise leaves `running` a moment after its worker has looked last. */
  private looking = 0;
  private wakes = 0;

  constructor(
    private readonly runNext: () => Promise<boolean>,
    private readonly options: DueWorkOptions,
  ) {}

  async run(workers = 1): Promise<void> {
    for (let i = 0; i < workers; i++) this.start();
    await Promise.all(this.running);
  }

  private start(): void {
    this.wakes += 1;
    if (this.looking >= this.options.most) return;
    this.looking += 1;
    const worker = this.runWhileDue()
      .catch((error: unknown) => log("warn", this.options.failure, errorFields(error)))
      .finally(() => this.running.delete(worker));
    this.running.add(worker);
    keepFunctionAlive(worker);
  }

  private async runWhileDue(): Promise<void> {
    try {
      for (;;) {
        const before = this.wakes;
        if (!(await this.runNext()) && this.wakes === before) return;
      }
    } finally {
      this.looking -= 1;
    }
  }
}

/** Registers `work` with Vercel, which otherwise stops a function once it has responded. A no-op elsewhere. */
export function keepFunctionAlive(work: Promise<unknown>): void {
  requestContext()?.waitUntil(work);
}

/** Whether work can be registered: on Vercel, within a request. */
export function canKeepFunctionAlive(): boolean {
  return requestContext() !== undefined;
}

function requestContext() {
  const store: unknown = Reflect.get(globalThis, Symbol.for("@vercel/request-context"));
  const context = hasMethod(store, "get") ? store.get() : undefined;
  return hasMethod(context, "waitUntil") ? context : undefined;
}

const hasMethod = <N extends string>(value: unknown, name: N): value is Record<N, (argument?: unknown) => unknown> =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";

// Who works on what waits in the database. In development the start, which works, and the routes are two bundles of one process.
const workers = processWide("wakes", () => ({ deliveries: () => {}, mails: () => {}, templateReads: () => {} }));

type Work = keyof typeof workers;

/** Calls `wake` whenever this process has queued such work. */
export function onQueued(work: Work, wake: () => void): void {
  workers[work] = wake;
}

/** Announces that such work was committed. Other processes find it when they look next. */
export function queued(work: Work): void {
  workers[work]();
}
