import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { admit, createThrottleBreaker, refuseHeldBack, report, type Target } from "@/lib/whatsapp/throttle-breaker";

const ADA = { line: "line-1", recipient: "447700900123" };
const KIM = { line: "line-1", recipient: "447700900124" };
const OTHER_LINE = { line: "line-2", recipient: "447700900123" };
const ADMITTED = { isAdmitted: true };

const openedAt = (nowMs: number, scope: "line" | "pair", target: Target = ADA) => {
  const breaker = createThrottleBreaker();
  for (let i = 0; i < 5; i++) breaker.recordThrottle(target, scope, nowMs);
  return breaker;
};

describe("a throttled line", () => {
  test("is closed after the fifth throttle in 10 s, and not before", () => {
    const breaker = createThrottleBreaker();
    for (const nowMs of [0, 2_000, 4_000, 6_000]) breaker.recordThrottle(ADA, "line", nowMs);
    expect(breaker.admit(ADA, 6_001)).toEqual(ADMITTED);
    breaker.recordThrottle(ADA, "line", 9_999);
    expect(breaker.admit(ADA, 10_000)).toEqual({ isAdmitted: false, scope: "line", retryAfterSeconds: 1 });
  });

  test("stays open where five throttles took 10 s or more", () => {
    const breaker = createThrottleBreaker();
    for (const nowMs of [0, 2_500, 5_000, 7_500, 10_000]) breaker.recordThrottle(ADA, "line", nowMs);
    expect(breaker.admit(ADA, 10_001)).toEqual(ADMITTED);
  });

  test("is closed for every recipient, and leaves other lines alone", () => {
    const breaker = openedAt(0, "line");
    expect(breaker.admit(KIM, 1).isAdmitted).toBe(false);
    expect(breaker.admit(OTHER_LINE, 1)).toEqual(ADMITTED);
  });

  test("lets exactly one send a second through", () => {
    const breaker = openedAt(0, "line");
    const admitted = Array.from({ length: 500 }, (_, i) => i * 10).filter(
      (nowMs) => breaker.admit(ADA, nowMs).isAdmitted,
    );
    expect(admitted).toEqual([1_000, 2_000, 3_000, 4_000]);
  });

  test("keeps its probe for a send, however often somebody looks", () => {
    const breaker = openedAt(0, "line");
    expect(breaker.inspect(ADA, 999)).toEqual({ isAdmitted: false, scope: "line", retryAfterSeconds: 1 });
    for (let i = 0; i < 10; i++) expect(breaker.inspect(ADA, 1_000)).toEqual(ADMITTED);
    expect(breaker.admit(ADA, 1_000)).toEqual(ADMITTED);
    expect(breaker.inspect(ADA, 1_000).isAdmitted).toBe(false);
  });

  test("opens with the first success", () => {
    const breaker = openedAt(0, "line");
    expect(breaker.admit(ADA, 1_000)).toEqual(ADMITTED);
    breaker.recordSuccess(ADA, 1_000);
    for (let i = 0; i < 10; i++) expect(breaker.admit(KIM, 1_001)).toEqual(ADMITTED);
  });

  test("stays closed on the success of a send from before", () => {
    const breaker = openedAt(5_000, "line");
    breaker.recordSuccess(ADA, 4_999);
    expect(breaker.admit(ADA, 5_001).isAdmitted).toBe(false);
  });

  test("is not kept closed by a clock that was set back", () => {
    const breaker = openedAt(3_600_000, "line");
    expect(breaker.admit(ADA, 0)).toEqual(ADMITTED);
    expect(breaker.admit(ADA, 1).isAdmitted).toBe(false);
    breaker.recordSuccess(ADA, 0);
    expect(breaker.admit(ADA, 2)).toEqual(ADMITTED);
  });
});

describe("a throttled pair", () => {
  test("closes that recipient only", () => {
    const breaker = openedAt(0, "pair");
    expect(breaker.admit(ADA, 1)).toEqual({ isAdmitted: false, scope: "pair", retryAfterSeconds: 1 });
    expect(breaker.admit(KIM, 1)).toEqual(ADMITTED);
    expect(breaker.admit(OTHER_LINE, 1)).toEqual(ADMITTED);
  });

  test("never adds up to a closed line", () => {
    const breaker = createThrottleBreaker();
    for (let i = 0; i < 50; i++) breaker.recordThrottle({ ...ADA, recipient: `4477009${i}` }, "pair", 0);
    expect(breaker.admit(KIM, 1)).toEqual(ADMITTED);
  });

  test("spends no probe of the line while it is closed itself", () => {
    const breaker = openedAt(0, "line");
    for (let i = 0; i < 5; i++) breaker.recordThrottle(ADA, "pair", 500);
    expect(breaker.admit(ADA, 1_000)).toMatchObject({ isAdmitted: false, scope: "pair" });
    expect(breaker.admit(KIM, 1_001)).toEqual(ADMITTED);
  });
});

test("memory is bounded: the pair longest without a throttle is forgotten", () => {
  const breaker = openedAt(0, "pair");
  for (let i = 0; i < 10_000; i++) breaker.recordThrottle({ line: "line-3", recipient: String(i) }, "pair", 1);
  expect(breaker.admit(ADA, 2)).toEqual(ADMITTED);
});

describe("the breaker of the process", () => {
  const line = (whatsappPhoneNumberId: string) => ({
    mode: "test" as const,
    whatsappPhoneNumberId,
    whatsappBusinessAccountId: "102",
    accessToken: "a-token",
  });
  const throttled = {
    outcome: "refused",
    blame: "platform",
    retryable: true,
    throttled: "line",
    template: null,
    isTokenDead: false,
    title: null,
    fix: null,
    retryAfterSeconds: 1,
    reason: "130429: Rate limit hit",
    platform: null,
  } as const;
  const unknown = { outcome: "unknown", reason: "no whole answer", platform: null } as const;
  const accepted = { outcome: "accepted", whatsappMessageId: "wamid.1", whatsappMessageStatus: null } as const;

  test("refuses with a 502 that proves nothing was sent, until a send is accepted", () => {
    for (let i = 0; i < 5; i++) report(line("1"), "447700900123", { outcome: throttled, sentAtMs: 0, nowMs: 0 });
    const refuse = () => admit(line("1"), "447700900123", { messageId: "msg_1", nowMs: 1 });
    expect(refuse).toThrow(AppError);
    expect(refuse).toThrow(
      expect.objectContaining({
        code: "CHAT_GRAPH_ERROR",
        status: 502,
        details: { outcome: "not_sent", messageId: "msg_1", retryable: true, retryAfterSeconds: 1 },
        headers: { "Retry-After": "1" },
      }),
    );
    expect(() => refuseHeldBack(line("1"), "447700900123", 1)).toThrow(AppError);
    expect(() => refuseHeldBack(line("2"), "447700900123", 1)).not.toThrow();

    report(line("1"), "447700900123", { outcome: unknown, sentAtMs: 2, nowMs: 2 });
    expect(refuse).toThrow(AppError);
    report(line("1"), "447700900123", { outcome: accepted, sentAtMs: 3, nowMs: 3 });
    expect(refuse).not.toThrow();
  });
});
