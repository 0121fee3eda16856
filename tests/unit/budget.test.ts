import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Budget } from "@/lib/core/budget";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WAIT = { waitMs: 1_000 };

describe("a budget of 100 in all and 60 for each", () => {
  const budgetOf = () => new Budget({ inAll: 100, each: 60 });

  test("gives what is free, and gives again what was released", async () => {
    const budget = budgetOf();
    const [a, b] = [budget.hold("a"), budget.hold("b")];
    expect(await a.take(60, WAIT)).toBeUndefined();
    expect(await b.take(40, WAIT)).toBeUndefined();
    a.release();
    expect(await b.take(20, WAIT)).toBeUndefined();
  });

  test("says which bound was in the way, and keeps nothing of what it refused", async () => {
    const budget = budgetOf();
    const [a, again, b, c] = [budget.hold("a"), budget.hold("a"), budget.hold("b"), budget.hold("c")];
    await a.take(55, WAIT);
    await b.take(40, WAIT);
    const refused = Promise.all([again.take(10, WAIT), c.take(10, WAIT)]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await refused).toEqual(["share", "all"]);
    expect(await c.take(5, WAIT)).toBeUndefined();
  });

  test("lets one that is within its share pass another's queue, and serves the one that holds least", async () => {
    const budget = budgetOf();
    const [a, b, c] = [budget.hold("a"), budget.hold("b"), budget.hold("c")];
    await a.take(60, WAIT);
    const order: string[] = [];
    const ofA = [budget.hold("a").take(10, WAIT), budget.hold("a").take(10, WAIT)].map((taken) =>
      taken.then((bound) => order.push(`a ${bound}`)),
    );
    expect(await b.take(30, WAIT)).toBeUndefined();
    const large = b.take(30, WAIT).then(() => order.push("b"));
    const small = c.take(15, WAIT).then(() => order.push("c"));
    a.release();
    await Promise.all([large, small, ...ofA]);
    expect(order.slice(0, 2).toSorted()).toEqual(["a undefined", "c"]);
    expect(order).toHaveLength(4);
  });

  test("serves one owner's requests in the order of coming, also where a later one would fit", async () => {
    const budget = budgetOf();
    const first = budget.hold("a");
    await first.take(50, WAIT);
    const order: number[] = [];
    const waiting = [40, 5].map(async (amount) => {
      await budget.hold("a").take(amount, WAIT);
      order.push(amount);
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(order).toEqual([]);
    first.release();
    await Promise.all(waiting);
    expect(order).toEqual([40, 5]);
  });

  test("lets the next one in when the first in the queue gives up", async () => {
    const budget = budgetOf();
    await budget.hold("a").take(55, WAIT);
    const refused = budget.hold("a").take(50, { waitMs: 100 });
    const granted = budget.hold("a").take(5, WAIT);
    await vi.advanceTimersByTimeAsync(100);
    expect([await refused, await granted]).toEqual(["share", undefined]);
  });

  test("takes back what is granted to a holder that was released", async () => {
    const budget = budgetOf();
    const [one, released, third] = [budget.hold("a"), budget.hold("a"), budget.hold("a")];
    await one.take(60, WAIT);
    const late = released.take(60, WAIT);
    released.release();
    one.release();
    expect(await late).toBe("share");
    expect(await third.take(60, WAIT)).toBeUndefined();
    expect(await released.take(1, WAIT)).toBe("share");
  });
});

describe("where at most 3 may wait", () => {
  test("the owner with most of them loses its last, and a newcomer that has as many is refused", async () => {
    const budget = new Budget({ inAll: 1, each: 1, waiting: 3 });
    await budget.hold("z").take(1, WAIT);
    const order: string[] = [];
    const wait = async (name: string) => order.push(`${name} ${await budget.hold(name.slice(0, 1)).take(1, WAIT)}`);
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void wait(name);
    await vi.advanceTimersByTimeAsync(1);
    // b1 costs a3 its turn; b2 would have as many as a, and c1 costs a2 its own.
    expect(order).toEqual(["a3 all", "b2 all", "a2 all"]);
  });

  test("one that is released waits no longer, and makes room for another", async () => {
    const budget = new Budget({ inAll: 1, each: 1, waiting: 1 });
    const [holder, leaver, stayer] = [budget.hold("a"), budget.hold("b"), budget.hold("b")];
    await holder.take(1, WAIT);
    const left = leaver.take(1, WAIT);
    leaver.release();
    expect(await left).toBe("all");
    const stayed = stayer.take(1, WAIT);
    holder.release();
    expect(await stayed).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("no bound is ever passed, and everything comes back", async () => {
  const step = fc.record({ owner: fc.constantFrom("a", "b", "c", "d"), amount: fc.integer({ min: 1, max: 60 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const budget = new Budget({ inAll: 100, each: 60 });
      const held = new Map<string, number>();
      const total = () => [...held.values()].reduce((sum, amount) => sum + amount, 0);
      const works = steps.map(async ({ owner, amount }, index) => {
        const holding = budget.hold(owner);
        if (await holding.take(amount, { waitMs: 50 })) return;
        held.set(owner, (held.get(owner) ?? 0) + amount);
        expect(held.get(owner)).toBeLessThanOrEqual(60);
        expect(total()).toBeLessThanOrEqual(100);
        await new Promise((resolve) => setTimeout(resolve, (index % 5) * 10));
        held.set(owner, (held.get(owner) ?? 0) - amount);
        holding.release();
      });
      await vi.runAllTimersAsync();
      await Promise.all(works);
      expect(await budget.hold("b").take(60, WAIT)).toBeUndefined();
      expect(await budget.hold("c").take(40, WAIT)).toBeUndefined();
    }),
  );
});

describe("work that runs within a budget", () => {
  const refusal = (bound: string) => new Error(`no place: ${bound}`);
  const inTime = { waitMs: Number.POSITIVE_INFINITY, refusal };
  /** Work that ends on demand, and what is under way. */
  const works = (budget: Budget) => {
    const started: number[] = [];
    const ends = new Map<number, { well: () => void; badly: () => void }>();
    const begin = (id: number, owner = "one") => {
      const work = () =>
        new Promise<number>((resolve, reject) => {
          started.push(id);
          ends.set(id, { well: () => resolve(id), badly: () => reject(new Error(`${id}`)) });
        });
      return budget.run(owner, work, inTime).finally(() => ends.delete(id));
    };
    return { started, ends, begin };
  };
  const turn = () => vi.advanceTimersByTimeAsync(1);

  test("is never more at once than there are places, in the order of coming, however each ends", async () => {
    const outcomes = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), outcomes, async (inAll, endsWell) => {
        const { started, ends, begin } = works(new Budget({ inAll }));
        const settled = Promise.allSettled(endsWell.map((_, id) => begin(id)));
        while (started.length < endsWell.length || ends.size > 0) {
          await turn();
          expect(ends.size).toBeLessThanOrEqual(inAll);
          const [[id, end] = []] = ends;
          if (id !== undefined) end?.[endsWell[id] ? "well" : "badly"]();
        }
        expect(started).toEqual(endsWell.map((_, id) => id));
        expect((await settled).map(({ status }) => status === "fulfilled")).toEqual(endsWell);
      }),
    );
  });

  test("of several owners takes turns, and the one that has most waiting makes room for another", async () => {
    const { started, ends, begin } = works(new Budget({ inAll: 1, waiting: 4 }));
    const flood = [0, 1, 2, 3, 4].map((id) => begin(id, "flood"));
    // Four of them wait: the last one goes for the owner, and then another for a colleague.
    const others = [begin(10, "owner"), begin(11, "colleague")];
    await expect(flood[4]).rejects.toThrow("no place");
    await expect(flood[3]).rejects.toThrow("no place");
    while (started.length < 5) {
      await turn();
      ends.get(started.at(-1) ?? 0)?.well();
    }
    await turn();
    ends.get(started.at(-1) ?? 0)?.well();
    expect(await Promise.all([...others, ...flood.slice(0, 3)])).toEqual([10, 11, 0, 1, 2]);
    // However a turn begins, the flood never has two before each of the others has one.
    expect(started.indexOf(2)).toBe(4);
  });

  test("is not refused for another's where it waits alone for its owner, and every place is used again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 }), async (owners) => {
        const { started, ends, begin } = works(new Budget({ inAll: 2, waiting: 6 }));
        const settled = Promise.allSettled(owners.map((owner, id) => begin(id, `${owner}`)));
        for (;;) {
          await turn();
          const [[id] = []] = ends;
          if (id === undefined) break;
          expect(ends.size).toBeLessThanOrEqual(2);
          ends.get(id)?.well();
        }
        const statuses = (await settled).map(({ status }) => status);
        expect(statuses.filter((status) => status === "fulfilled")).toHaveLength(started.length);
        // The first work of each owner found a place: four owners are fewer than the places.
        for (const owner of new Set(owners)) expect(statuses[owners.indexOf(owner)]).toBe("fulfilled");
        expect(started).toHaveLength(Math.min(owners.length, 8));
      }),
    );
  });

  test("a place that is given back twice is one place", async () => {
    const budget = new Budget({ inAll: 1 });
    const [first, second, third] = [budget.hold(""), budget.hold(""), budget.hold("")];
    await first.take(1, WAIT);
    const [next, last] = [second.take(1, WAIT), third.take(1, WAIT)];
    first.release();
    first.release();
    expect(await next).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await last).toBe("share");
  });
});
