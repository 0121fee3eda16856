import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkOutbox, type OutboxHistory, type Received } from "../faults/outbox-history";

const TYPES = ["message.sent", "message.delivered", "message.read"];

/** Messages that were read, each event taken once, after so many failed attempts as `failures` says. */
const wellBehaved = (messages: number, failures: number): OutboxHistory => {
  const received: Received[] = [];
  for (let sequence = 1; sequence <= TYPES.length; sequence++) {
    for (let message = 0; message < messages; message++) {
      const event = {
        id: `whd_${message}_${sequence}`,
        messageId: `msg_${message}`,
        sequence,
        type: TYPES[sequence - 1] ?? "",
      };
      for (let i = 0; i < failures; i++) received.push({ ...event, isTaken: false });
      received.push({ ...event, isTaken: true });
    }
  }
  return {
    received,
    stored: received.map(({ id }) => id),
    messages: Array.from({ length: messages }, (_, i) => ({
      id: `msg_${i}`,
      eventCount: TYPES.length,
      statuses: ["PENDING", "SENT", "SENT", "DELIVERED", "READ"],
    })),
  };
};

const faultsIn = (history: OutboxHistory) => new Set(checkOutbox(history).map(({ fault }) => fault));
const histories = fc.record({ messages: fc.integer({ min: 1, max: 5 }), failures: fc.integer({ min: 0, max: 2 }) });

describe("the checker of the outbox", () => {
  test("finds an event that is lost", () => {
    fc.assert(
      fc.property(histories, fc.nat(), ({ messages, failures }, pick) => {
        const history = wellBehaved(messages, failures);
        const taken = history.received.filter(({ isTaken }) => isTaken);
        const lost = taken[pick % taken.length];
        expect(faultsIn({ ...history, received: history.received.filter((one) => one !== lost) })).toContain("lost");
      }),
    );
  });

  test("finds two events of a message in the wrong order", () => {
    fc.assert(
      fc.property(histories, ({ messages, failures }) => {
        const history = wellBehaved(messages, failures);
        expect(faultsIn({ ...history, received: history.received.toReversed() })).toEqual(new Set(["out of order"]));
      }),
    );
  });

  test("finds what was never stored, and one event under two ids", () => {
    const history = wellBehaved(2, 0);
    const [first] = history.received;
    if (!first) throw new Error("nothing was received");
    const more = (changes: Partial<Received>) => ({
      ...history,
      received: [...history.received, { ...first, ...changes }],
    });
    expect(faultsIn(more({ id: "whd_none" }))).toContain("invented");
    expect(faultsIn(more({ sequence: 9 }))).toContain("invented");
    expect(faultsIn({ ...more({ id: "whd_twin" }), stored: [...history.stored, "whd_twin"] })).toContain("invented");
  });
});
