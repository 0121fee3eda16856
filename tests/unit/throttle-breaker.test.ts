import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/core/app-error";
import { notSent } from "@/lib/whatsapp/post-message";
import {
  admitOrRefuse,
  assertNotThrottled,
  report,
  reportThrottle,
  ThrottleBreaker,
} from "@/lib/whatsapp/throttle-breaker";

const ADA = { line: "line-1", recipient: "447700900123" };
const KIM = { line: "line-1", recipient: "447700900124" };
const OTHER_LINE = { line: "line-2", recipient: "447700900123" };
const ADMITTED = { isAdmitted: true };

const at = (nowMs: number, retryAfterSeconds = 1) => ({ sentAtMs: nowMs, nowMs, retryAfterSeconds });

const openedAt = (nowMs: number, scope: "line" | "pair", { target = ADA, seconds = 1 } = {}) => {
  const breaker = new ThrottleBreaker();
  for (let i = 0; i < 5; i++) breaker.recordThrottle(target, scope, at(nowMs, seconds));
  return breaker;
};

describe("a throttled line", () => {
  test("is closed after the fifth throttle in 10 s, and not before", () => {
    const breaker = new ThrottleBreaker();
    for (const nowMs of [0, 2_000, 4_000, 6_000]) breaker.recordThrottle(ADA, "line", at(nowMs));
    expect(breaker.admit(ADA, 6_001)).toMatchObject(ADMITTED);
    breaker.recordThrottle(ADA, "line", at(9_999));
    const refused = { isAdmitted: false, scope: "line", isProbed: false, retryAfterSeconds: 1 };
    expect(breaker.admit(ADA, 10_000)).toEqual(refused);
  });

  test("stays open where five throttles took 10 s or more", () => {
    const breaker = new ThrottleBreaker();
    for (const nowMs of [0, 2_500, 5_000, 7_500, 10_000]) breaker.recordThrottle(ADA, "line", at(nowMs));
    expect(breaker.admit(ADA, 10_001)).toMatchObject(ADMITTED);
  });

  test("is closed for every recipient, and leaves other lines alone", () => {
    const breaker = openedAt(0, "line");
    expect(breaker.admit(KIM, 1).isAdmitted).toBe(false);
    expect(breaker.admit(OTHER_LINE, 1)).toMatchObject(ADMITTED);
  });

  test.each([[""], [", also where each probe is answered late"]])(
    "lets exactly one send a second through%s",
    (late) => {
      const breaker = openedAt(0, "line");
      const admitted = Array.from({ length: 500 }, (_, i) => i * 10).filter((nowMs) => {
        const { isAdmitted } = breaker.admit(ADA, nowMs);
        if (late && nowMs % 1_000 === 400) breaker.recordThrottle(ADA, "line", { ...at(nowMs), sentAtMs: nowMs - 400 });
        return isAdmitted;
      });
      expect(admitted).toEqual([1_000, 2_000, 3_000, 4_000]);
    },
  );

  test("lets a send through as a probe only while it is throttled, until an answer or a long silence", () => {
    const breaker = openedAt(0, "line");
    for (const nowMs of [1, 999]) expect(breaker.inspect(KIM, nowMs)).toMatchObject({ isAdmitted: false });
    for (const nowMs of [1_000, 5_000]) expect(breaker.inspect(KIM, nowMs)).toEqual({ ...ADMITTED, isProbe: true });
    expect(breaker.inspect(OTHER_LINE, 1_000)).toEqual({ ...ADMITTED, isProbe: false });
    expect(breaker.admit(ADA, 5_000)).toEqual({ ...ADMITTED, isProbe: true });
    breaker.recordAnswer(ADA, "line", 5_000);
    const notThrottled = { ...ADMITTED, isProbe: false };
    expect(breaker.inspect(ADA, 5_001)).toEqual(notThrottled);
    expect(openedAt(0, "pair").inspect(KIM, 1)).toEqual(notThrottled);
    expect(openedAt(0, "line").inspect(ADA, 11_001)).toEqual(notThrottled);
  });

  test("keeps its probe for a send, however often someone looks", () => {
    const breaker = openedAt(0, "line");
    expect(breaker.inspect(ADA, 999)).toMatchObject({ isAdmitted: false, retryAfterSeconds: 1 });
    for (let i = 0; i < 10; i++) expect(breaker.inspect(ADA, 1_000)).toMatchObject(ADMITTED);
    expect(breaker.admit(ADA, 1_000)).toMatchObject(ADMITTED);
    expect(breaker.inspect(ADA, 1_000).isAdmitted).toBe(false);
  });

  test("opens with the first answer", () => {
    const breaker = openedAt(0, "line");
    expect(breaker.admit(ADA, 1_000)).toMatchObject(ADMITTED);
    breaker.recordAnswer(ADA, "line", 1_000);
    for (let i = 0; i < 10; i++) expect(breaker.admit(KIM, 1_001)).toMatchObject(ADMITTED);
  });

  test("stays closed on the answer to a send from before", () => {
    const breaker = openedAt(5_000, "line");
    breaker.recordAnswer(ADA, "line", 4_999);
    expect(breaker.admit(ADA, 5_001).isAdmitted).toBe(false);
  });

  test("gives the probe of a send that never left to another, within a second", () => {
    const breaker = openedAt(0, "line", { seconds: 60 });
    expect(breaker.admit(ADA, 60_000)).toMatchObject(ADMITTED);
    breaker.recordNotSent(ADA, 60_000, 60_100);
    expect(breaker.admit(ADA, 60_200)).toMatchObject({ isAdmitted: false, isProbed: false, retryAfterSeconds: 1 });
    expect(breaker.admit(ADA, 61_100)).toMatchObject(ADMITTED);
  });

  test("that no one has used for long is asked again by everyone", () => {
    const breaker = openedAt(0, "line");
    expect(breaker.admit(ADA, 1_000)).toMatchObject(ADMITTED);
    expect(breaker.admit(ADA, 12_000)).toMatchObject(ADMITTED);
    expect(breaker.admit(ADA, 12_001).isAdmitted).toBe(false);
    for (let i = 0; i < 10; i++) expect(breaker.admit(ADA, 23_001)).toMatchObject(ADMITTED);
  });
});

describe("one truth about the wait", () => {
  test.each([1, 6, 60, 300])(
    "a throttle that says %i s is probed after that, and who is held back is reported the same",
    (seconds) => {
      const breaker = openedAt(0, "line", { seconds });
      expect(breaker.inspect(KIM, 0)).toMatchObject({ isAdmitted: false, retryAfterSeconds: seconds });
      expect(breaker.inspect(KIM, seconds * 1_000 - 1).isAdmitted).toBe(false);
      // Every wait that is returned is enough.
      for (let nowMs = 0; nowMs < seconds * 1_000; nowMs += 97) {
        const admission = breaker.inspect(KIM, nowMs);
        if (!admission.isAdmitted)
          expect(breaker.inspect(KIM, nowMs + admission.retryAfterSeconds * 1_000)).toMatchObject(ADMITTED);
      }
      expect(breaker.admit(KIM, seconds * 1_000)).toMatchObject(ADMITTED);
    },
  );

  test("the last throttle's word counts", () => {
    const breaker = openedAt(0, "line", { seconds: 60 });
    expect(breaker.admit(ADA, 60_000)).toMatchObject(ADMITTED);
    breaker.recordThrottle(ADA, "line", at(60_100, 2));
    expect(breaker.inspect(ADA, 61_000).isAdmitted).toBe(false);
    breaker.recordAnswer(ADA, "line", 60_100);
    expect(breaker.admit(ADA, 60_101)).toMatchObject(ADMITTED);
  });

  test("while a probe is under way the others look again soon, as its answer decides", () => {
    const breaker = openedAt(0, "line", { seconds: 60 });
    breaker.admit(ADA, 60_000);
    expect(breaker.inspect(KIM, 60_001)).toMatchObject({ isAdmitted: false, isProbed: true, retryAfterSeconds: 2 });
    breaker.recordThrottle(ADA, "line", { ...at(60_500, 60), sentAtMs: 60_000 });
    expect(breaker.inspect(KIM, 60_501)).toMatchObject({ isProbed: false, retryAfterSeconds: 60 });
    breaker.admit(ADA, 120_000);
    // A probe that got no answer at all.
    expect(breaker.inspect(KIM, 132_000)).toMatchObject({ isProbed: false, retryAfterSeconds: 48 });
  });
});

describe("a throttled pair", () => {
  test("closes that recipient only", () => {
    const breaker = openedAt(0, "pair");
    expect(breaker.admit(ADA, 1)).toMatchObject({ isAdmitted: false, scope: "pair", retryAfterSeconds: 1 });
    expect(breaker.admit(KIM, 1)).toMatchObject(ADMITTED);
    expect(breaker.admit(OTHER_LINE, 1)).toMatchObject(ADMITTED);
  });

  test("never adds up to a closed line", () => {
    const breaker = new ThrottleBreaker();
    for (let i = 0; i < 50; i++) breaker.recordThrottle({ ...ADA, recipient: `4477009${i}` }, "pair", at(0));
    expect(breaker.admit(KIM, 1)).toMatchObject(ADMITTED);
  });

  test("spends no probe of the line while it is closed itself", () => {
    const breaker = openedAt(0, "line");
    for (let i = 0; i < 5; i++) breaker.recordThrottle(ADA, "pair", at(500));
    expect(breaker.admit(ADA, 1_000)).toMatchObject({ isAdmitted: false, scope: "pair" });
    expect(breaker.admit(KIM, 1_001)).toMatchObject(ADMITTED);
  });
});

test("memory is bounded: the pair longest without a throttle is forgotten", () => {
  const breaker = openedAt(0, "pair");
  for (let i = 0; i < 10_000; i++) breaker.recordThrottle({ line: "line-3", recipient: String(i) }, "pair", at(1));
  expect(breaker.admit(ADA, 2)).toMatchObject(ADMITTED);
});

describe("the breaker of the process", () => {
  const line = (whatsappPhoneNumberId: string) => ({
    mode: "test" as const,
    whatsappPhoneNumberId,
    whatsappBusinessAccountId: "102",
    accessToken: "a-token",
  });
  const PLATFORM = { code: 1, subcode: null, title: null, details: null, fbtraceId: null };
  const refused = (throttled: "line" | "pair" | null) => ({
    ...notSent("130429: Rate limit hit", 1),
    throttled,
    platform: PLATFORM,
  });
  const unknown = { outcome: "unknown", reason: "no complete response", platform: null } as const;
  const accepted = {
    outcome: "accepted",
    whatsappMessageId: "wamid.1",
    whatsappMessageStatus: null,
    waId: null,
  } as const;
  const open = (id: string, scope: "line" | "pair" = "line") => {
    const outcome = refused(scope);
    for (let i = 0; i < 5; i++) report(line(id), "447700900123", { outcome, sentAtMs: 0, nowMs: 0 });
  };
  const hold = (id: string) => admitOrRefuse(line(id), "447700900123", 1);

  test("refuses with a 502 that proves nothing was sent", () => {
    open("1");
    expect(() => assertNotThrottled(line("1"), "447700900123", 1)).toThrow(
      expect.objectContaining({
        code: "CHAT_GRAPH_ERROR",
        status: 502,
        message: "WhatsApp is throttling this line. Retry in 1 s, and send more slowly. Nothing was sent.",
        details: { outcome: "not_sent", retryable: true, retryAfterSeconds: 1 },
        headers: { "Retry-After": "1" },
      }),
    );
    expect(() => assertNotThrottled(line("2"), "447700900123", 1)).not.toThrow(AppError);
    expect(hold("1")).toMatchObject({ outcome: "refused", retryable: true, retryAfterSeconds: 1, platform: null });
  });

  const answers = [
    ["an accepted message", accepted, true],
    ["a refusal of another kind, such as a bad recipient", refused(null), true],
    ["an error of WhatsApp's that leaves the outcome open", { ...unknown, platform: PLATFORM }, true],
    ["a throttle of the pair, which is none of the line", refused("pair"), true],
    ["a throttle of the line", refused("line"), false],
    ["no answer", unknown, false],
    ["a send that never left", notSent("connection refused"), false],
  ] as const;
  test.each(answers)("%s closes it: %#", (title, outcome, isOver) => {
    open(title);
    report(line(title), "447700900123", { outcome, sentAtMs: 1, nowMs: 1 });
    expect(hold(title) === undefined, title).toBe(isOver);
  });

  test("a throttle of the line does not settle the pair", () => {
    open("3", "pair");
    report(line("3"), "447700900123", { outcome: refused("line"), sentAtMs: 1, nowMs: 1 });
    expect(hold("3")?.reason).toContain("to this recipient");
  });

  test("a throttled upload counts, and no other end of an upload does", () => {
    const at = { sentAtMs: 1, nowMs: 1 };
    for (let i = 0; i < 5; i++) reportThrottle(line("4"), "447700900123", { outcome: refused("line"), ...at });
    expect(hold("4")).toBeDefined();
    reportThrottle(line("4"), "447700900123", { outcome: refused(null), sentAtMs: 2, nowMs: 2 });
    expect(hold("4")).toBeDefined();
  });

  test("who comes second while a probe is under way is reported so", () => {
    open("5");
    expect(admitOrRefuse(line("5"), "447700900123", 1_000)).toBeUndefined();
    expect(admitOrRefuse(line("5"), "447700900123", 1_001)?.reason).toBe(
      "WhatsApp is throttling this line and another message is already probing it. Retry in a few seconds.",
    );
  });
});
