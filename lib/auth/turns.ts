import { AppError } from "@/lib/errors/app-error";

const RETRY_AFTER_SECONDS = 5;

type Waiting = { start: () => void; refuse: (error: AppError) => void };

/**
 * Runs at most `atOnce` tasks at a time. Tasks of one cause queue in order; causes are served round-robin. With `maxWaiting`
 * waiting already, the cause that has most of them loses its last one: it is refused with 503. So a flood of one cause
 * never keeps another out.
 */
export const inTurns = ({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }) => {
  /** In the order of their turns. */
  const causes = new Map<string, Waiting[]>();
  let free = atOnce;

  const waitingOf = (cause: string) => causes.get(cause)?.length ?? 0;

  const makeRoomFor = (cause: string): boolean => {
    const all = [...causes].map(([name, { length }]) => ({ name, length }));
    if (all.reduce((sum, { length }) => sum + length, 0) < maxWaiting) return true;
    const largest = all.reduce((most, one) => (one.length > most.length ? one : most), { name: "", length: 0 });
    if (largest.length <= waitingOf(cause) + 1) return false;
    causes.get(largest.name)?.pop()?.refuse(tooMany());
    return true;
  };

  const wait = (cause: string) =>
    new Promise<void>((resolve, reject) => {
      if (!makeRoomFor(cause)) return reject(tooMany());
      const line = causes.get(cause) ?? [];
      line.push({ start: resolve, refuse: reject });
      causes.set(cause, line);
    });

  const startNext = () => {
    const [[cause, [next, ...others]] = ["", []]] = causes;
    causes.delete(cause);
    if (others.length > 0) causes.set(cause, others);
    // Its place goes over as it is, so that none who comes in between takes it.
    if (next) next.start();
    else free += 1;
  };

  return async <T>(cause: string, work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await wait(cause);
    try {
      return await work();
    } finally {
      startNext();
    }
  };
};

const tooMany = () =>
  new AppError("SERVICE_UNAVAILABLE", "Too many people are signing in at this moment. Try again in a few seconds.", {
    details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
