import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { inGroups } from "@/lib/webhooks/group-commit";

/** A store whose every call is answered by the test. */
const heldStore = () => {
  const calls: { items: string[]; store: (homeless?: string[]) => void; fail: (error: unknown) => void }[] = [];
  const store = (items: string[]) =>
    new Promise<string[]>((resolve, reject) => {
      calls.push({ items, store: (homeless = []) => resolve(homeless), fail: reject });
    });
  return { calls, store };
};

const AWAY = new Error("away");
const OPTIONS = { groups: 1, items: 3, apartMs: 0, concernsAll: (error: unknown) => error === AWAY };
const turns = () => new Promise((resolve) => setImmediate(resolve));
const outcome = (answer: Promise<string[]>) => Promise.race([answer, turns().then(() => "waits")]);

describe("items that come together", () => {
  test("the first goes at once; those who come while it is under way share the next call, up to its size", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, OPTIONS);
    const answers = [["a"], ["b"], ["c", "d"], ["e"], ["f", "g", "h", "i"]].map((items) => put(items));
    expect(calls.map(({ items }) => items)).toEqual([["a"]]);
    for (let call = 0; call < 4; call++) {
      calls[call]?.store();
      await turns();
    }
    expect(calls.map(({ items }) => items.join(""))).toEqual(["a", "bcd", "e", "fghi"]);
    expect(await Promise.all(answers)).toEqual([[], [], [], [], []]);
  });

  test("as many calls are under way as groups are allowed, and no more", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, { ...OPTIONS, groups: 2 });
    for (const item of ["a", "b", "c", "d"]) void put([item]);
    expect(calls.map(({ items }) => items)).toEqual([["a"], ["b"]]);
    calls[1]?.store();
    await turns();
    expect(calls.map(({ items }) => items)).toEqual([["a"], ["b"], ["c", "d"]]);
  });

  test("no one is answered before the call that holds their items", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, OPTIONS);
    const [first, second] = [put(["a"]), put(["b"])];
    calls[0]?.store();
    await turns();
    expect(await outcome(first)).toEqual([]);
    expect(await outcome(second)).toBe("waits");
    calls[1]?.store();
    expect(await outcome(second)).toEqual([]);
  });

  test("each learns of its own homeless items only", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, OPTIONS);
    const [first, second, third] = [put(["a"]), put(["b", "c"]), put(["d"])];
    calls[0]?.store(["a"]);
    await turns();
    calls[1]?.store(["d", "b"]);
    expect(await Promise.all([first, second, third])).toEqual([["a"], ["b"], ["d"]]);
  });

  test("where groups keep apart, those who come in between share the next", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, { ...OPTIONS, groups: 2, apartMs: 50 });
    const startedAtMs = performance.now();
    for (const item of ["a", "b", "c"]) void put([item]);
    expect(calls.map(({ items }) => items.join(""))).toEqual(["a"]);
    await vi.waitFor(() => expect(calls.map(({ items }) => items.join(""))).toEqual(["a", "bc"]));
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(49);
  });

  test("a full group keeps no distance", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, { ...OPTIONS, apartMs: 60_000 });
    for (const item of ["a", "b", "c", "d"]) void put([item]);
    calls[0]?.store();
    await turns();
    expect(calls.map(({ items }) => items.join(""))).toEqual(["a", "bcd"]);
  });

  test("no items need no call and no waiting", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, OPTIONS);
    void put(["a"]);
    expect(await outcome(put([]))).toEqual([]);
    expect(calls).toHaveLength(1);
  });
});

describe("a call that fails", () => {
  test("is repeated for each part alone, so that one bad item harms its own part only", async () => {
    const isBad = (item: number) => item % 5 === 0;
    const parts = fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 3 }), async (all, groups) => {
        const stored: number[] = [];
        const store = async (items: number[]) => {
          await turns();
          if (items.some(isBad)) throw new Error("bad item");
          stored.push(...items);
          return [];
        };
        const put = inGroups(store, { ...OPTIONS, groups, items: 8 });
        const outcomes = await Promise.allSettled(all.map((items) => put(items)));
        const good = all.filter((items) => !items.some(isBad));
        expect(outcomes.map(({ status }) => status)).toEqual(
          all.map((items) => (items.some(isBad) ? "rejected" : "fulfilled")),
        );
        expect(stored.toSorted()).toEqual(good.flat().toSorted());
      }),
    );
  });

  test("for a reason that concerns all is reported to those who wait, too, and the next starts afresh", async () => {
    const { calls, store } = heldStore();
    const put = inGroups(store, OPTIONS);
    const answers = [put(["a"]), put(["b"]), put(["c"])];
    calls[0]?.fail(AWAY);
    expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(answers.map(() => "rejected"));
    expect(calls).toHaveLength(1);
    const next = put(["d"]);
    calls[1]?.store();
    expect(await next).toEqual([]);
  });
});
