import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { batcher } from "@/lib/core/batcher";
import { DueWork } from "@/lib/core/due-work";

/** Every batch is answered by the test: each input with itself in capitals. */
const held = () => {
  const batches: { inputs: string[]; key: string; done: () => void; fail: (error: unknown) => void }[] = [];
  const run = (inputs: string[], key: string) =>
    new Promise<string[]>((resolve, reject) => {
      batches.push({ inputs, key, done: () => resolve(inputs.map((input) => input.toUpperCase())), fail: reject });
    });
  return { run, batches, seen: () => batches.map(({ inputs }) => inputs.join(" ")) };
};
const turns = () => new Promise((resolve) => setImmediate(resolve));
const sizeOf = ({ length }: string) => length;

describe("inputs that come together", () => {
  test("the first goes at once; who comes while it runs shares the next batch, up to its size", async () => {
    const { run, batches, seen } = held();
    const put = batcher(run, { most: 3, sizeOf });
    const outputs = ["a", "b", "cd", "e", "fghi"].map((input) => put(input));
    expect(seen()).toEqual(["a"]);
    for (let at = 0; at < 4; at++) {
      batches[at]?.done();
      await turns();
    }
    expect(seen()).toEqual(["a", "b cd", "e", "fghi"]);
    expect(await Promise.all(outputs)).toEqual(["A", "B", "CD", "E", "FGHI"]);
  });

  test("as many batches of a key run as may, and those of another key beside them", async () => {
    const { run, batches, seen } = held();
    const put = batcher(run, { atOnce: 2 });
    for (const input of ["a", "b", "c", "d"]) void put(input);
    void put("x", { key: "other" });
    expect(seen()).toEqual(["a", "b", "x"]);
    expect(batches.map(({ key }) => key)).toEqual(["", "", "other"]);
    batches[1]?.done();
    await turns();
    expect(seen()).toEqual(["a", "b", "x", "c d"]);
  });

  test("where batches keep apart, who comes in between shares the next, and a full one goes at once", async () => {
    const { run, batches, seen } = held();
    const put = batcher(run, { atOnce: 2, apartMs: 50, most: 3 });
    const startedAtMs = performance.now();
    for (const input of ["a", "b", "c"]) void put(input);
    expect(seen()).toEqual(["a"]);
    await vi.waitFor(() => expect(seen()).toEqual(["a", "b c"]));
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(49);
    const full = batcher(run, { apartMs: 60_000, most: 3 });
    for (const input of ["d", "e", "f", "g"]) void full(input);
    batches.at(-1)?.done();
    await turns();
    expect(seen().slice(2)).toEqual(["d", "e f g"]);
  });

  test("where batches keep apart, one that becomes full while it waits goes at once, and one that does not waits on", async () => {
    const { run, batches, seen } = held();
    const put = batcher(run, { atOnce: 2, apartMs: 2_000, most: 3 });
    void put("a");
    batches[0]?.done();
    await turns();
    for (const input of ["b", "c", "d", "e"]) {
      void put(input);
      await turns();
    }
    expect(seen()).toEqual(["a", "b c d"]);
    batches[1]?.done();
    await vi.waitFor(() => expect(seen()).toEqual(["a", "b c d", "e"]), { timeout: 10_000 });
    batches[2]?.done();
  });

  test("a caller that left before its batch began is not run for", async () => {
    const { run, batches, seen } = held();
    const put = batcher(run);
    const leaving = new AbortController();
    void put("a");
    const left = put("b", { signal: leaving.signal });
    const stayed = put("c");
    leaving.abort(new Error("left"));
    batches[0]?.done();
    await expect(left).rejects.toThrow("left");
    batches[1]?.done();
    expect(await stayed).toBe("C");
    expect(seen()).toEqual(["a", "c"]);
  });

  test("each sees in its batch what was there when it came", async () => {
    const written: number[] = [];
    const read = batcher(async (calls: undefined[]) => {
      const seen = [...written];
      await sleep(2);
      return calls.map(() => seen);
    });
    const calls = Array.from({ length: 20 }, async (_, index) => {
      await sleep(index / 4);
      written.push(index);
      expect(await read(undefined)).toContain(index);
    });
    await Promise.all(calls);
  });
});

describe("a batch that fails", () => {
  const outcomes = async (calls: Promise<unknown>[]) => (await Promise.allSettled(calls)).map(({ status }) => status);

  test("fails its own callers only", async () => {
    const { run, batches } = held();
    const put = batcher(run);
    const calls = outcomes(["a", "b", "c"].map((input) => put(input)));
    batches[0]?.fail(new Error("away"));
    await turns();
    batches[1]?.done();
    expect(await calls).toEqual(["rejected", "fulfilled", "fulfilled"]);
  });

  test("for a reason that concerns all fails those who wait, too, and the next starts afresh", async () => {
    const { run, batches } = held();
    const put = batcher(run, { failureOf: () => "all" });
    const calls = ["a", "b", "c"].map((input) => put(input));
    batches[0]?.fail(new Error("away"));
    expect(await outcomes(calls)).toEqual(["rejected", "rejected", "rejected"]);
    expect(batches).toHaveLength(1);
    const next = put("d");
    batches[1]?.done();
    expect(await next).toBe("D");
  });

  test("with fewer outputs than inputs fails instead of leaving a caller without an answer", async () => {
    await expect(batcher(async () => [])("a")).rejects.toThrow("outputs");
  });
});

test("whatever comes and fails: each input has its own output once, in order, in batches within the bounds", async () => {
  const isBad = (input: string) => input.includes("!");
  const input = fc.record({
    text: fc.stringMatching(/^[a-z!]{1,5}$/),
    key: fc.constantFrom("one", "two"),
    afterTurns: fc.nat(3),
  });
  const bounds = fc.record({ most: fc.integer({ min: 1, max: 8 }), atOnce: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(input, { maxLength: 25 }), bounds, async (given, { most, atOnce }) => {
      const running = new Map<string, number>();
      const stored: string[] = [];
      let isSingle = false;
      const run = async (inputs: string[], key: string) => {
        running.set(key, (running.get(key) ?? 0) + 1);
        if (!isSingle) expect(running.get(key)).toBeLessThanOrEqual(atOnce);
        expect(inputs.length === 1 || inputs.join("").length <= most).toBe(true);
        await turns();
        running.set(key, (running.get(key) ?? 0) - 1);
        if (inputs.some(isBad)) throw new Error("bad");
        stored.push(...inputs.map((text) => `${key} ${text}`));
        return inputs.map((text) => `${key} ${text}`);
      };
      const failureOf = () => {
        isSingle = true;
        return "alone" as const;
      };
      const put = batcher(run, { most, sizeOf, atOnce, failureOf });
      const calls = given.map(async ({ text, key, afterTurns }) => {
        for (let turn = 0; turn < afterTurns; turn++) await turns();
        return put(text, { key });
      });
      const ended = await Promise.allSettled(calls);
      expect(ended.map((one) => (one.status === "fulfilled" ? one.value : "bad"))).toEqual(
        given.map(({ text, key }) => (isBad(text) ? "bad" : `${key} ${text}`)),
      );
      const good = given.filter(({ text }) => !isBad(text)).map(({ text, key }) => `${key} ${text}`);
      expect(stored.toSorted()).toEqual(good.toSorted());
    }),
  );
});

describe("work that is due in the database", () => {
  test("is done also where it is queued in the very moment in which the last worker ends", async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      let due = 0;
      const takeNext = async () => due > 0 && due-- > 0;
      const work = new DueWork(takeNext, { most: 1, failure: "test.stopped" });
      const earlier = work.run();
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      due = 1;
      await work.run();
      expect([ticks, due]).toEqual([ticks, 0]);
      await earlier;
    }
  });
});
