import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathTable } from "@/lib/api/endpoint";
import { ENDPOINTS } from "@/lib/api/endpoints";
import { countDurations, countRequests, RequestBuffer } from "@/lib/api/log/record-requests";
import type { ReceivedRequest } from "@/lib/api/log/request-record";

const owned = (workspaceId: string, more: Partial<ReceivedRequest> = {}) => ({
  workspaceId,
  apiKeyId: "key_a",
  mode: "live" as const,
  request: {
    id: "req_a",
    at: new Date("2026-01-05T12:59:59.999Z"),
    apiKey: "pk_live_a",
    operation: "send" as const,
    method: "POST",
    path: "/",
    status: 201,
    errorCode: null,
    clientRequestId: null,
    idempotencyKey: null,
    isReplay: false,
    messageId: null,
    ip: "unknown",
    userAgent: null,
    durationMs: 30,
    platformMs: 20,
    body: null,
    answer: null,
    ...more,
  },
});

describe("RequestBuffer", () => {
  test("never holds more than it may, gives up the oldest and counts them", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.integer({ min: 0, max: 30 })), (most, steps) => {
        const buffer = new RequestBuffer<number>(most);
        let next = 0;
        let written = 0;
        let lost = 0;
        for (const step of steps) {
          for (let i = 0; i < step; i++) buffer.add(next++);
          const taken = buffer.take(step % 7);
          expect(taken).toEqual(taken.toSorted((a, b) => a - b));
          if (step % 2) buffer.putBack(taken);
          else written += taken.length;
          expect(buffer.size).toBeLessThanOrEqual(most);
          lost += buffer.takeLost();
        }
        expect(written + lost + buffer.size).toBe(next);
        const rest = buffer.take(most);
        expect(rest).toEqual(Array.from(rest, (_, i) => next - rest.length + i));
      }),
    );
  });
});

describe("counts", () => {
  test("are by quarter of an hour, key, operation, status and code", () => {
    const refused = owned("ws_a", { status: 400, errorCode: "VALIDATION_ERROR" });
    const later = owned("ws_a", { at: new Date("2026-01-05T13:00:00.000Z") });
    const counts = countRequests([owned("ws_a"), refused, owned("ws_a"), later]);
    expect(
      counts.map(({ startsAt, status, errorCode, count }) => [startsAt.toISOString(), status, errorCode, count]),
    ).toEqual([
      ["2026-01-05T12:45:00.000Z", 201, "", 2],
      ["2026-01-05T12:45:00.000Z", 400, "VALIDATION_ERROR", 1],
      ["2026-01-05T13:00:00.000Z", 201, "", 1],
    ]);
  });

  test.each(["UTC", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham", "Australia/Lord_Howe", "America/St_Johns"])(
    "are of one hour and day of the clock in %s",
    (timeZone) => {
      const hourIn = (at: Date) => at.toLocaleString("sv-SE", { timeZone }).slice(0, "2026-01-05 12".length);
      const instant = fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });
      fc.assert(
        fc.property(instant, (at) => {
          for (const { startsAt } of [
            ...countRequests([owned("ws_a", { at })]),
            ...countDurations([owned("ws_a", { at })]),
          ]) {
            expect(hourIn(startsAt)).toBe(hourIn(at));
          }
        }),
      );
    },
  );

  test("come in one order, however the calls came, so that two processes never deadlock", () => {
    const calls = ["ws_c", "ws_a", "ws_b", "ws_a"].flatMap((id) => [owned(id), owned(id, { status: 429 })]);
    fc.assert(
      fc.property(fc.shuffledSubarray(calls, { minLength: calls.length }), (shuffled) => {
        expect(countRequests(shuffled)).toEqual(countRequests(calls));
        expect(countDurations(shuffled)).toEqual(countDurations(calls));
      }),
    );
  });

  test("of durations are of sends that reached WhatsApp, ours apart from its own", () => {
    const durations = countDurations([
      owned("ws_a"),
      owned("ws_a", { platformMs: null }),
      owned("ws_a", { operation: "status", platformMs: null }),
    ]);
    expect(durations.map(({ kind, count }) => [kind, count])).toEqual([
      ["ours", 1],
      ["platform", 1],
    ]);
  });
});

test.each([
  ["/api/v1/public/messages/send", "send"],
  ["/api/v1/public/messages/send/", "send"],
  ["/api/v1/public/messages/msg_a", "status"],
  ["/api/v1/public/templates", "templates"],
  ["/api/v1/public/mesages/send", "other"],
  ["/api/v1/public", "other"],
])("%s is meant for %s", (path, operation) => expect(pathTable(ENDPOINTS)(path).operation).toBe(operation));
