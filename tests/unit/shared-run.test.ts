import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { sharedRun } from "@/lib/process/shared-run";

test("runs once at a time, and a call sees what was there when it came", async () => {
  const written: number[] = [];
  let running = 0;
  const readAll = () =>
    sharedRun("unit-reads", async () => {
      running += 1;
      expect(running).toBe(1);
      const seen = [...written];
      await sleep(5);
      running -= 1;
      return seen;
    });
  const calls = Array.from({ length: 20 }, async (_, index) => {
    await sleep(index);
    written.push(index);
    expect(await readAll()).toContain(index);
  });
  await Promise.all(calls);
});

test("calls during a run share the next one", async () => {
  let runs = 0;
  const run = () =>
    sharedRun("unit-count", async () => {
      runs += 1;
      await sleep(5);
      return runs;
    });
  const first = run();
  await sleep(1);
  expect(await Promise.all([first, run(), run(), run()])).toEqual([1, 2, 2, 2]);
});

test("a run that fails rejects its own calls only", async () => {
  let isBroken = true;
  const run = () =>
    sharedRun("unit-failure", async () => {
      await sleep(5);
      if (isBroken) throw new Error("broken");
      return "whole";
    });
  const first = run();
  await sleep(1);
  const second = run();
  await expect(first).rejects.toThrow("broken");
  isBroken = false;
  expect(await second).toBe("whole");
});
