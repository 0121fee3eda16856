import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allocateSlots, type Busy, type Due, freeSlots, type Pace } from "@/lib/outgoing/slots";

const PACES: Pace[] = ["quick", "new", "slow"];

/** So many due deliveries of each of some endpoints. */
const dueOf = (
  workspaceId: string,
  { endpoints, each, pace }: { endpoints: number; each: number; pace: Pace },
): Due[] =>
  Array.from({ length: endpoints * each }, (_, i) => ({
    workspaceId,
    endpointId: `${pace}_${i % endpoints}`,
    id: `${workspaceId}_${pace}_${i}`,
    pace,
    isRefused: false,
  }));

const busyAfter = (chosen: readonly Due[], busy: readonly Busy[] = []): Busy[] => {
  const all = new Map(busy.map((one) => [`${one.workspaceId}/${one.endpointId}`, { ...one }]));
  for (const { workspaceId, endpointId, pace, isRefused } of chosen) {
    const key = `${workspaceId}/${endpointId}`;
    const one = all.get(key) ?? { workspaceId, endpointId, pace, underWay: 0, refused: 0 };
    if (isRefused) one.refused += 1;
    else one.underWay += 1;
    all.set(key, one);
  }
  return [...all.values()];
};

const heldBy = (busy: readonly Busy[], isCounted: (one: Busy) => boolean): number =>
  busy.filter(isCounted).reduce((sum, { underWay, refused }) => sum + underWay + refused, 0);

const workspaces = (count: number) => Array.from({ length: count }, (_, i) => `ws_${i}`);

describe("places", () => {
  test("of slow endpoints, however many ask, leave a quick one and a new one all that they want", () => {
    for (const count of [13, 80, 800, 4_000]) {
      const slow = workspaces(count).flatMap((id) => dueOf(id, { endpoints: 5, each: 16, pace: "slow" }));
      let busy: Busy[] = [];
      for (let claim = 0; claim < 4; claim++) busy = busyAfter(allocateSlots(slow, busy), busy);
      expect(heldBy(busy, () => true)).toBeLessThanOrEqual(512);
      const quick = dueOf("quick", { endpoints: 1, each: 128, pace: "quick" });
      const fresh = dueOf("fresh", { endpoints: 1, each: 4, pace: "new" });
      expect(allocateSlots([...slow, ...quick, ...fresh], busy).filter(({ pace }) => pace !== "slow")).toHaveLength(
        132,
      );
    }
  });

  test("of workspaces whose quick endpoints all stop answering leave some for the next", () => {
    let busy: Busy[] = [];
    for (const id of workspaces(13)) {
      for (let claim = 0; claim < 3; claim++) {
        busy = busyAfter(allocateSlots(dueOf(id, { endpoints: 2, each: 64, pace: "quick" }), busy), busy);
      }
    }
    expect(allocateSlots(dueOf("next", { endpoints: 1, each: 1, pace: "quick" }), busy)).toHaveLength(1);
  });

  test("are one workspace's alone up to nearly half of all", () => {
    const chosen = allocateSlots(dueOf("only", { endpoints: 5, each: 128, pace: "quick" }), []);
    expect(chosen).toHaveLength(448);
    expect(busyAfter(chosen).map(({ underWay }) => underWay)).toEqual([90, 90, 90, 89, 89]);
  });

  test("are shared by workspaces, then by endpoints, whatever each of them wants", () => {
    const due = [
      ...dueOf("crowd", { endpoints: 5, each: 128, pace: "quick" }),
      ...dueOf("one", { endpoints: 1, each: 128, pace: "quick" }),
      ...dueOf("little", { endpoints: 1, each: 3, pace: "quick" }),
    ];
    const busy = busyAfter(allocateSlots(due, []));
    const of = (workspaceId: string) => heldBy(busy, (one) => one.workspaceId === workspaceId);
    expect([of("little"), of("one")]).toEqual([3, 128]);
    expect(of("crowd")).toBe(freeSlots(busy) - 127);
  });

  test("of refused events come after all others, and take nothing from their workspace's share", () => {
    const refused = dueOf("one", { endpoints: 1, each: 2, pace: "quick" }).map((due) => ({
      ...due,
      id: `refused_${due.id}`,
      isRefused: true,
    }));
    const fresh = dueOf("one", { endpoints: 1, each: 20, pace: "quick" });
    const chosen = allocateSlots([...refused, ...fresh], []);
    expect(chosen.map(({ isRefused }) => isRefused)).toEqual([...Array(20).fill(false), true, true]);
  });

  test("are never more than there are, in any order of any claims", () => {
    const asking = fc.record({
      workspace: fc.integer({ min: 0, max: 30 }),
      endpoints: fc.integer({ min: 1, max: 5 }),
      each: fc.integer({ min: 1, max: 128 }),
      pace: fc.constantFrom(...PACES),
    });
    fc.assert(
      fc.property(fc.array(fc.array(asking, { maxLength: 12 }), { maxLength: 5 }), (claims) => {
        let busy: Busy[] = [];
        for (const claim of claims) {
          const due = claim.flatMap(({ workspace, ...asked }) => dueOf(`ws_${workspace}`, asked));
          const unique = [...new Map(due.map((one) => [one.id, one])).values()];
          const chosen = allocateSlots(unique, busy);
          expect(new Set(chosen.map(({ id }) => id)).size).toBe(chosen.length);
          busy = busyAfter(chosen, busy);
          expect(heldBy(busy, () => true)).toBeLessThanOrEqual(1_024);
          expect(heldBy(busy, ({ pace }) => pace !== "quick")).toBeLessThanOrEqual(768);
          expect(heldBy(busy, ({ pace }) => pace === "slow")).toBeLessThanOrEqual(512);
        }
      }),
      { numRuns: 60 },
    );
  });
});
