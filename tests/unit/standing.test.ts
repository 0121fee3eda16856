import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REMOVED_REASON } from "@/lib/core/phone";
import { foldStatusEvents, type MatchedMessage, rank, transitionOf } from "@/lib/messages/statuses/status";

type Event = Parameters<typeof foldStatusEvents>[0][number];

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 23, 59, 55) + second * 1_000);
const events = fc.array(
  fc.record<Event>({
    status: fc.constantFrom("sent", "delivered", "read", "played", "failed", "warned"),
    occurredAt: fc.integer({ min: -3, max: 8 }).map(at),
    failure: fc.option(fc.record({ code: fc.option(fc.constantFrom(1, 2)), reason: fc.constantFrom("a", "b") })),
    pricing: fc.option(
      fc.record({
        billable: fc.boolean(),
        type: fc.constantFrom("regular", null),
        category: fc.constantFrom("utility", "marketing"),
        model: fc.constant("PMP"),
      }),
    ),
  }),
  { minLength: 1, maxLength: 8 },
);
const sending: MatchedMessage = {
  mode: "live",
  type: "text",
  phase: "DISPATCHING",
  status: "PENDING",
  createdAt: at(0),
  dispatchedAt: at(0),
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  contentsRemovedAt: null,
  whatsappMessageId: null,
  failedAt: null,
  failureCode: null,
  failureReason: null,
  failureTraceId: null,
  pricingBillable: null,
  pricingType: null,
  pricingCategory: null,
  pricingModel: null,
  pricedAt: null,
};
const sent: MatchedMessage = { ...sending, phase: "SENT", status: "SENT", sentAt: at(2), whatsappMessageId: "wamid.A" };
const refused: MatchedMessage = {
  ...sending,
  phase: "REFUSED",
  status: "FAILED",
  failedAt: at(1),
  failureCode: 131_026,
  failureReason: "No",
  failureTraceId: "trace",
};
const messages = fc.constantFrom<MatchedMessage>(
  sending,
  { ...sending, phase: "UNKNOWN", status: "UNKNOWN" } as const,
  sent,
  refused,
  { ...refused, phase: "REFUSED_RETRYABLE", mode: "test" },
  { ...sent, contentsRemovedAt: at(5) },
);
/** Told batch by batch, as webhooks are. */
const movedBy = (message: MatchedMessage, batches: readonly Event[][]): MatchedMessage => {
  let moved = message;
  for (const batch of batches) moved = { ...moved, ...transitionOf(moved, foldStatusEvents(batch), "wamid.A")?.to };
  return moved;
};

describe("where statuses move a message", () => {
  test("is the same in any order and any batches, and however often they come again", () => {
    const reported = events.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray([...all, ...all]).map((some) => [...some, ...all]),
        fc.integer({ min: 1, max: 5 }),
      ),
    );
    fc.assert(
      fc.property(messages, reported, (message, [all, delivered, size]) => {
        const batches = delivered.flatMap((_, place) => (place % size ? [] : [delivered.slice(place, place + size)]));
        expect(movedBy(message, batches)).toEqual(movedBy(message, [all]));
      }),
    );
  });

  test("is never lower nor later, unless what moves it is a refusal that did not hold", () => {
    fc.assert(
      fc.property(messages, events, (message, batch) => {
        const moved = movedBy(message, [batch]);
        if (message !== refused && message.mode === "live") {
          expect(rank(moved.status)).toBeGreaterThanOrEqual(rank(message.status));
        }
        for (const time of ["sentAt", "deliveredAt", "readAt"] as const) {
          if (message[time]) expect(Number(moved[time])).toBeLessThanOrEqual(Number(message[time]));
          if (moved[time]) expect(Number(moved[time])).toBeGreaterThanOrEqual(Number(message.createdAt));
        }
      }),
    );
  });

  test("is nowhere, where the message has that status already", () => {
    fc.assert(
      fc.property(messages, events, (message, batch) => {
        const moved = movedBy(message, [batch]);
        expect(transitionOf(moved, foldStatusEvents(batch), "wamid.A")).toBeUndefined();
      }),
    );
  });
});

describe("a refusal that a status contradicts", () => {
  const reported = (status: string, failure: Event["failure"] = null) =>
    foldStatusEvents([{ status, occurredAt: at(3), failure, pricing: null }]);

  test("is removed with its reason, and the message counts again in the month of the call", () => {
    const move = transitionOf(refused, reported("delivered"), "wamid.A");
    expect(move).toMatchObject({
      to: { phase: "SENT", status: "DELIVERED", failedAt: null, failureCode: null, failureReason: null },
      unitMonth: "2026-01-01",
      keyUnitMonth: "2026-01-01",
    });
    expect(move?.to.failureTraceId).toBeNull();
    expect(transitionOf({ ...refused, dispatchedAt: at(6) }, reported("sent"), "w")?.unitMonth).toBe("2026-02-01");
    const ofTest = transitionOf({ ...refused, mode: "test" }, reported("sent"), "w");
    expect(ofTest).toMatchObject({ unitMonth: null, keyUnitMonth: "2026-01-01" });
  });

  test("has WhatsApp's reason where that failed it, too", () => {
    const { to } = transitionOf(refused, reported("failed", { code: 7, reason: "Later" }), "wamid.A") ?? {};
    expect(to).toMatchObject({ phase: "SENT", status: "FAILED", failedAt: at(3), failureCode: 7 });
    expect(to).toMatchObject({ failureReason: "Later", failureTraceId: null });
  });

  test("stays where the status is unknown to us", () => {
    expect(transitionOf({ ...refused, whatsappMessageId: "w" }, reported("warned"), "w")).toBeUndefined();
  });
});

test("a late failure brings back no reason that was removed with the contents", () => {
  const failure = { code: 7, reason: "Ada" };
  const reported = foldStatusEvents([{ status: "failed", occurredAt: at(3), failure, pricing: null }]);
  const move = transitionOf({ ...sent, contentsRemovedAt: at(5) }, reported, "wamid.A");
  expect(move?.to).toMatchObject({ failureCode: 7, failureReason: REMOVED_REASON });
});

test.for([
  ["DISPATCHING", "interactive", "sent", true],
  ["UNKNOWN", "interactive", "read", true],
  ["UNKNOWN", "interactive", "failed", false],
  ["UNKNOWN", "interactive", "warned", false],
  ["SENT", "interactive", "delivered", false],
  ["UNKNOWN", "text", "sent", false],
] as const)("of a message %s, %s, the word %s opens a session: %s", ([phase, type, status, opens]) => {
  const reported = foldStatusEvents([{ status, occurredAt: at(1), failure: null, pricing: null }]);
  expect(transitionOf({ ...sending, phase, type }, reported, "wamid.A")?.mayOpenSession ?? false).toBe(opens);
});

test("a price is part of what changes only where it is new", () => {
  const pricing = { billable: true, type: "regular", category: "utility", model: "PMP" };
  const priced = foldStatusEvents([{ status: "delivered", occurredAt: at(3), failure: null, pricing }]);
  const { to } = transitionOf(sent, priced, "wamid.A") ?? {};
  expect(to).toMatchObject({ pricingBillable: true, pricingCategory: "utility", pricedAt: at(3) });
  const read = foldStatusEvents([{ status: "read", occurredAt: at(4), failure: null, pricing }]);
  const later = transitionOf({ ...sent, ...to }, read, "wamid.A")?.to;
  expect(later).toMatchObject({ status: "READ" });
  expect(later).not.toHaveProperty("pricedAt");
});
