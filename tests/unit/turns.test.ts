import { setImmediate as oneTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inTurns } from "@/lib/auth/turns";

/** Work that ends on demand, and what is under way. */
const works = (run: <T>(cause: string, work: () => Promise<T>) => Promise<T>) => {
  const started: number[] = [];
  const ends = new Map<number, { well: () => void; badly: () => void }>();
  const begin = (id: number, cause = "one") =>
    run(
      cause,
      () =>
        new Promise<number>((resolve, reject) => {
          started.push(id);
          ends.set(id, { well: () => resolve(id), badly: () => reject(new Error(`${id}`)) });
        }),
    ).finally(() => ends.delete(id));
  return { started, ends, begin };
};

test("never more at once than it says, in their order, and all of them, however each ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
      async (atOnce, endsWell) => {
        const { started, ends, begin } = works(inTurns({ atOnce, maxWaiting: 20 }));
        const outcomes = Promise.allSettled(endsWell.map((_, id) => begin(id)));
        while (started.length < endsWell.length || ends.size > 0) {
          await oneTurn();
          expect(ends.size).toBeLessThanOrEqual(atOnce);
          const [[id, end] = []] = ends;
          if (id !== undefined) end?.[endsWell[id] ? "well" : "badly"]();
        }
        expect(started).toEqual(endsWell.map((_, id) => id));
        expect((await outcomes).map(({ status }) => status === "fulfilled")).toEqual(endsWell);
      },
    ),
  );
});

test("one too many is refused at once with 503 and disturbs no one; later there is room again", async () => {
  const { started, ends, begin } = works(inTurns({ atOnce: 1, maxWaiting: 1 }));
  const both = [begin(0), begin(1)];
  await expect(begin(2)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", status: 503 });
  for (const id of [0, 1]) {
    await oneTurn();
    ends.get(id)?.well();
  }
  expect(await Promise.all(both)).toEqual([0, 1]);
  void begin(3);
  await oneTurn();
  expect(started).toEqual([0, 1, 3]);
});

test("causes take turns, and the one that has most waiting makes room for another", async () => {
  const { started, ends, begin } = works(inTurns({ atOnce: 1, maxWaiting: 4 }));
  const flood = [0, 1, 2, 3, 4].map((id) => begin(id, "flood"));
  // Four of them wait: the last one goes for the owner, and then another for a colleague.
  const [owner, colleague] = [begin(10, "owner"), begin(11, "colleague")];
  await expect(flood[4]).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  await expect(flood[3]).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  for (const id of [0, 1, 10, 11, 2]) {
    await oneTurn();
    ends.get(id)?.well();
  }
  expect(await Promise.all([owner, colleague, ...flood.slice(0, 3)])).toEqual([10, 11, 0, 1, 2]);
  expect(started).toEqual([0, 1, 10, 11, 2]);
});

test("no one who waits alone for a cause is refused for another, and every place is used again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 }), async (causes) => {
      const { started, ends, begin } = works(inTurns({ atOnce: 2, maxWaiting: 6 }));
      const outcomes = Promise.allSettled(causes.map((cause, id) => begin(id, `${cause}`)));
      for (;;) {
        await oneTurn();
        const [[id] = []] = ends;
        if (id === undefined) break;
        expect(ends.size).toBeLessThanOrEqual(2);
        ends.get(id)?.well();
      }
      const settled = (await outcomes).map(({ status }) => status);
      expect(settled.filter((status) => status === "fulfilled")).toHaveLength(started.length);
      // The first work of each cause found a place: four causes are fewer than the places.
      for (const cause of new Set(causes)) expect(settled[causes.indexOf(cause)]).toBe("fulfilled");
      expect(started).toHaveLength(Math.min(causes.length, 8));
    }),
  );
});
