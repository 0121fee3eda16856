import { AppError } from "@/lib/errors";

const RETRY_AFTER_SECONDS = 5;

/** Does `atOnce` works at a time and the others in their order; with `maxWaiting` waiting already it refuses with 503. */
export const inTurns = ({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }) => {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else if (waiting.length < maxWaiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw tooMany();
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Its place goes over as it is, so that nobody who comes in between takes it.
      if (next) next();
      else free += 1;
    }
  };
};

const tooMany = () =>
  new AppError("SERVICE_UNAVAILABLE", "Too many people are signing in at this moment. Try again in a few seconds.", {
    details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
