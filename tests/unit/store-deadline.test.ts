import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { withinStoreDeadline } from "@/lib/rate-limit/store-deadline";

const NEVER = new Promise<never>(() => {});
const isOver = () => false;

/** How long the wait for a store that never answers was. */
const waited = async (deadline: { idleMs: number; isAlive: () => boolean }): Promise<number> => {
  const startedAtMs = performance.now();
  await expect(withinStoreDeadline(NEVER, deadline)).rejects.toThrow("did not answer");
  return performance.now() - startedAtMs;
};

test("an answer in time is the answer, and its failure the failure", async () => {
  const deadline = { idleMs: 1_000, isAlive: isOver };
  expect(await withinStoreDeadline(sleep(20, "answer"), deadline)).toBe("answer");
  await expect(withinStoreDeadline(Promise.reject(new Error("refused")), deadline)).rejects.toThrow("refused");
});

test("a store that is silent to everybody is given up on after its time", async () => {
  expect(await waited({ idleMs: 50, isAlive: isOver })).toBeGreaterThanOrEqual(49);
});

test("one that answers others is waited for, and no whole time more once it has fallen silent", async () => {
  const silentAtMs = performance.now() + 700;
  const [late, silent] = await Promise.all([
    waited({ idleMs: 600, isAlive: () => performance.now() < silentAtMs }),
    waited({ idleMs: 1_000, isAlive: isOver }),
  ]);
  expect(late).toBeGreaterThanOrEqual(600);
  // Beside a wait of another length, since a busy machine lengthens both.
  expect(late).toBeLessThan(silent);
});
