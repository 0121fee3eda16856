import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { withinStoreDeadline } from "@/lib/limits/upstash-limit";

const NEVER = new Promise<never>(() => {});

test("an answer in time is the answer, and its failure the failure", async () => {
  expect(await withinStoreDeadline(sleep(20, "answer"), 1_000)).toBe("answer");
  await expect(withinStoreDeadline(Promise.reject(new Error("refused")), 1_000)).rejects.toThrow("refused");
});

test("a silent store is given up on after its time", async () => {
  const startedAtMs = performance.now();
  await expect(withinStoreDeadline(NEVER, 50)).rejects.toThrow("did not answer in 50 ms");
  const waitedMs = performance.now() - startedAtMs;
  expect(waitedMs).toBeGreaterThanOrEqual(49);
  expect(waitedMs).toBeLessThan(2_000);
});

test("a busy process is not taken for a silent store", async () => {
  const answer = sleep(20).then(() => "here");
  const waiting = withinStoreDeadline(answer, 50);
  const busyUntilMs = performance.now() + 200;
  while (performance.now() < busyUntilMs);
  await expect(waiting).resolves.toBe("here");
});
