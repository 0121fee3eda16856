import fc from "fast-check";
import { expect, test } from "vitest";
import { Deadline, retry } from "@/lib/core/deadline";

const outcome = fc.constantFrom("good", "again", "never");

test("as many attempts as there may be, one at a time, until one succeeds or fails for good", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcome, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
      async (given, attempts) => {
        let running = 0;
        let made = 0;
        const ended = await retry(
          async (attempt) => {
            expect(attempt).toBe(++made);
            expect(++running).toBe(1);
            await Promise.resolve();
            running -= 1;
            const said = given[attempt - 1] ?? "again";
            if (said !== "good") throw new Error(said);
            return `good ${attempt}`;
          },
          { attempts, retryIf: (error) => error instanceof Error && error.message === "again" },
        ).catch((error: Error) => error.message);
        const end = given.findIndex((said) => said !== "again");
        const last = Math.min(end === -1 ? attempts : end + 1, attempts);
        expect(made).toBe(last);
        const said = given[last - 1] ?? "again";
        expect(ended).toBe(said === "good" ? `good ${last}` : said);
      },
    ),
  );
});

test("pauses by the number of attempts, and begins none that the deadline leaves no time for", async () => {
  const pauses: number[] = [];
  const began: number[] = [];
  const startedAtMs = performance.now();
  const work = async () => {
    began.push(performance.now() - startedAtMs);
    throw new Error("away");
  };
  const pauseMs = (made: number) => {
    pauses.push(made);
    return made * 20;
  };
  const options = { attempts: 9, retryIf: () => true, pauseMs, deadline: Deadline.in(120), minRemainingMs: 30 };
  await expect(retry(work, options)).rejects.toThrow("away");
  expect(pauses.slice(0, 2)).toEqual([1, 2]);
  expect(began[1]).toBeGreaterThanOrEqual(19);
  expect(began.length).toBeLessThan(5);
});

test("begins none where a pause ends too late, as in a busy process", async () => {
  let made = 0;
  const work = async () => {
    made++;
    throw new Error("away");
  };
  const pauseMs = () => {
    setTimeout(() => {
      const untilMs = performance.now() + 100;
      while (performance.now() < untilMs);
    });
    return 20;
  };
  const options = { attempts: 9, retryIf: () => true, pauseMs, deadline: Deadline.in(90), minRemainingMs: 10 };
  await expect(retry(work, options)).rejects.toThrow("away");
  expect(made).toBe(1);
});
