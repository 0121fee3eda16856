import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldStatusEvents, joinChanges, rank, type StatusChange, statusOfWord } from "@/lib/messages/statuses/status";

type Event = Parameters<typeof foldStatusEvents>[0][number];

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const event = (status: string, second = 0, failure: Event["failure"] = null): Event => ({
  status,
  occurredAt: at(second),
  failure,
  pricing: null,
});
const failed = (second: number, code: number, reason: string) => event("failed", second, { code, reason });
const B2 = { code: 2, reason: "b" };
const price = (category: string) => ({ billable: true, type: "regular", category, model: "PMP" });
const priced = (status: string, second: number, category: string) => ({
  ...event(status, second),
  pricing: price(category),
});
const failure = fc.record({
  code: fc.option(fc.constantFrom(131026, 131049)),
  reason: fc.constantFrom("Undeliverable", "Engagement", "\uffee", "\u{1F44B}"),
});
const events = fc.array(
  fc.record<Event>({
    status: fc.constantFrom("sent", "delivered", "read", "played", "failed", "warned", ""),
    occurredAt: fc.integer({ min: 0, max: 5 }).map(at),
    failure: fc.option(failure),
    pricing: fc.option(
      fc.record({
        billable: fc.boolean(),
        type: fc.constantFrom("regular", null),
        category: fc.constantFrom("utility", "marketing"),
        model: fc.constant("PMP"),
      }),
    ),
  }),
  { maxLength: 8 },
);

describe("the fold of status events", () => {
  test("may be taken in parts: joining is associative, commutative and idempotent", () => {
    fc.assert(
      fc.property(events, events, events, (a, b, c) => {
        const [x, y, z] = [foldStatusEvents(a), foldStatusEvents(b), foldStatusEvents(c)];
        expect(joinChanges(joinChanges(x, y), z)).toEqual(joinChanges(x, joinChanges(y, z)));
        expect(joinChanges(x, y)).toEqual(joinChanges(y, x));
        expect(joinChanges(x, x)).toEqual(x);
        expect(foldStatusEvents([...a, ...b, ...c])).toEqual(joinChanges(joinChanges(x, y), z));
      }),
    );
  });

  test("never lowers a rank, and never moves a time later", () => {
    fc.assert(
      fc.property(events, events, (a, b) => {
        const [before, after] = [foldStatusEvents(a), foldStatusEvents([...a, ...b])];
        if (before.status) expect(rank(after.status ?? "PENDING")).toBeGreaterThanOrEqual(rank(before.status));
        for (const time of ["sentAt", "deliveredAt", "readAt", "failedAt"] as const) {
          if (before[time]) expect(Number(after[time])).toBeLessThanOrEqual(Number(before[time]));
        }
      }),
    );
  });

  test.each<[string, Event[], Partial<StatusChange>]>([
    ["nothing says nothing", [], { status: null, sentAt: null, failure: null }],
    ["an unknown word says nothing", [event("warned")], { status: null, sentAt: null }],
    ["sent", [event("sent", 1)], { status: "SENT", sentAt: at(1), deliveredAt: null }],
    ["read fills delivered", [event("read", 3)], { status: "READ", sentAt: at(3), deliveredAt: at(3), readAt: at(3) }],
    ["played is read", [event("played", 3)], { status: "READ", readAt: at(3) }],
    ["an earlier delivered stays", [event("read", 3), event("delivered", 2)], { status: "READ", deliveredAt: at(2) }],
    [
      "delivered outranks failed",
      [event("delivered", 1), event("failed", 2)],
      { status: "DELIVERED", failedAt: at(2) },
    ],
    ["failed outranks sent", [event("failed", 1), event("sent", 2)], { status: "FAILED", sentAt: at(1) }],
    ["a failure without words", [event("failed")], { failure: { code: null, reason: "WhatsApp gave no reason." } }],
    ["of two failures the earlier one", [failed(2, 1, "a"), failed(1, 2, "b")], { failure: B2, failedAt: at(1) }],
    ["of one second the first by its text", [failed(1, 2, "c"), failed(1, 2, "b")], { failure: B2 }],
    ["of one second and text the first by its code", [failed(1, 9, "b"), failed(1, 2, "b")], { failure: B2 }],
    [
      "the price of the earliest status, whatever it says, and none where none has one",
      [priced("delivered", 2, "marketing"), priced("warned", 1, "utility"), event("sent", 0)],
      { pricing: { at: at(1), ...price("utility") } },
    ],
    ["no price without one", [event("sent"), event("delivered")], { pricing: null }],
  ])("%s", (_, given, expected) => {
    expect(foldStatusEvents(given)).toMatchObject(expected);
  });
});

test("ranks are those of the decisions", () => {
  const ranked = (["PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"] as const).map(rank);
  expect(ranked).toEqual([0, 1, 2, 3, 4, 5]);
});

test("a word counts as WhatsApp writes it, and no inherited name is a word", () => {
  const statuses = ["sent", "delivered", "read", "played", "failed"].map(statusOfWord);
  expect(statuses).toEqual(["SENT", "DELIVERED", "READ", "READ", "FAILED"]);
  for (const word of ["SENT", "deleted", "constructor", "__proto__", ""]) expect(statusOfWord(word)).toBeUndefined();
});
