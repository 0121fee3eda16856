import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSilence } from "@/db/client";

const FORGOTTEN_AFTER_MS = 5_000;

const ask = (afterMs: number) => ({ kind: "ask", afterMs }) as const;
const answer = (afterMs: number) => ({ kind: "answer", afterMs }) as const;

/** What happened, one event after the other, and how long the silence lasts at the end of it. */
const lastsAfter = (events: { kind: "ask" | "answer"; afterMs: number }[], lookAfterMs = 0) => {
  const silence = createSilence(FORGOTTEN_AFTER_MS);
  let nowMs = 1_000;
  for (const { kind, afterMs } of events) {
    nowMs += afterMs;
    if (kind === "ask") silence.asked(nowMs);
    else silence.answered();
  }
  return silence.outageMs(nowMs + lookAfterMs);
};

const events = fc.array(
  fc.record({ kind: fc.constantFrom("ask" as const, "answer" as const), afterMs: fc.nat({ max: 3_000 }) }),
  { maxLength: 20 },
);
const pauses = fc.nat({ max: FORGOTTEN_AFTER_MS });

describe("the silence of a database", () => {
  test("lasts since the first who has asked since the last answer", () => {
    fc.assert(
      fc.property(events, fc.array(pauses, { minLength: 1, maxLength: 6 }), pauses, (before, asks, pauseMs) => {
        const waitedMs = asks.slice(1).reduce((sum, afterMs) => sum + afterMs, pauseMs);
        expect(lastsAfter([...before, answer(10), ...asks.map(ask)], pauseMs)).toBe(waitedMs);
      }),
    );
  });

  test("is none before anybody asked, and none after an answer", () => {
    fc.assert(
      fc.property(events, pauses, (before, pauseMs) => {
        expect(lastsAfter([], pauseMs)).toBe(0);
        expect(lastsAfter([...before, answer(10)], pauseMs)).toBe(0);
      }),
    );
  });

  test("is not known any more where no one has asked for long, and begins again with the next who asks", () => {
    fc.assert(
      fc.property(
        events,
        fc.integer({ min: FORGOTTEN_AFTER_MS + 1, max: 60_000 }),
        pauses,
        (before, longMs, pauseMs) => {
          expect(lastsAfter([...before, ask(10)], longMs)).toBe(0);
          expect(lastsAfter([...before, ask(10), ask(longMs)], pauseMs)).toBe(pauseMs);
        },
      ),
    );
  });
});
