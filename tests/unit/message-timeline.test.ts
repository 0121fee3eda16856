import { describe, expect, test } from "vitest";
import { refreshEveryMs, type TimelineSource, timelineOf } from "@/lib/messages/statuses/timeline";

const BEGIN = Date.parse("2026-01-05T12:09:11.020Z");
const later = (ms: number) => new Date(BEGIN + ms);

const message = (more: Partial<TimelineSource> = {}): TimelineSource => ({
  phase: "SENT",
  status: "SENT",
  attempt: 1,
  whatsappMessageId: "wamid.1",
  whatsappMessageStatus: "accepted",
  failureReason: null,
  failureCode: null,
  createdAt: later(0),
  dispatchedAt: later(20),
  sentAt: later(214),
  failedAt: null,
  pricingBillable: null,
  pricingType: null,
  pricingCategory: null,
  pricingModel: null,
  pricedAt: null,
  events: [],
  ...more,
});

let count = 0;
const reported = (status: string, ms: number, failure: { code: number; reason: string } | null = null) => ({
  id: `evt_${++count}`,
  status,
  occurredAt: later(ms),
  receivedAt: later(ms + 800),
  failureCode: failure?.code ?? null,
  failureReason: failure?.reason ?? null,
  repeats: 0,
  hasRaw: true,
});

const titles = (source: TimelineSource) =>
  timelineOf(source).map(({ title }) => (typeof title === "string" ? title : title.status));
const notes = (source: TimelineSource) => timelineOf(source).flatMap((step) => step.notes);

describe("a timeline", () => {
  test("shows what we did, what WhatsApp answered and how long it took", () => {
    const [received, accepted] = timelineOf(message());
    expect(received).toMatchObject({ title: "Received by the API", at: later(0), receivedAt: null, notes: [] });
    expect(accepted).toMatchObject({ title: "Accepted by WhatsApp", at: later(214) });
    expect(accepted?.notes).toEqual(["It answered in 194 ms."]);
  });

  test("shows when a webhook's event happened and when it was received", () => {
    const steps = timelineOf(message({ events: [reported("delivered", 2_000)] }));
    expect(steps.at(-1)).toMatchObject({ title: { status: "DELIVERED" }, at: later(2_000), receivedAt: later(2_800) });
  });

  test("says what WhatsApp charges at the event that brought it, once", () => {
    const price = { pricingBillable: true, pricingType: "regular", pricingCategory: "utility", pricingModel: "PMP" };
    const events = [reported("delivered", 2_000), reported("sent", 1_000), reported("sent", 1_000)];
    const steps = timelineOf(message({ ...price, pricedAt: later(1_000), events }));
    expect(steps.map((step) => step.notes.filter((note) => note.startsWith("Pricing")))).toEqual([
      [],
      [],
      [],
      ["Pricing: billable, utility."],
    ]);
    const free = { pricingBillable: false, pricingType: "free_entry_point", pricingCategory: "service" };
    expect(notes(message({ ...price, ...free, pricedAt: later(2_000), events }))).toContain(
      "Pricing: free, service, free_entry_point.",
    );
    expect(notes(message({ events })).join()).not.toContain("Pricing");
  });

  test("names the event behind what WhatsApp reported, where it was reported first, and behind nothing else", () => {
    const [sent, again, read] = [
      reported("sent", 300),
      reported("sent", 400),
      { ...reported("read", 900), hasRaw: false },
    ];
    const steps = timelineOf(message({ events: [sent, again, read] }));
    const shown = [null, null, { id: sent.id, hasRaw: true }, null, { id: read.id, hasRaw: false }];
    expect(steps.map(({ event }) => event)).toEqual(shown);
  });

  test("read without delivered implies that it was delivered", () => {
    const read = message({ status: "READ", events: [reported("sent", 300), reported("read", 1_000)] });
    expect(titles(read)).toEqual(["Received by the API", "Accepted by WhatsApp", "SENT", "Delivered", "READ"]);
    expect(notes(read).join()).toContain("Implied by Read");
  });

  test("webhooks in reverse order stay in theirs, the late ones marked", () => {
    const reversed = message({
      status: "READ",
      events: [reported("read", 900), reported("delivered", 600), reported("sent", 300)],
    });
    expect(titles(reversed).slice(2)).toEqual(["READ", "DELIVERED", "SENT"]);
    expect(notes(reversed).filter((note) => note.startsWith("Arrived late"))).toEqual([
      "Arrived late. Shown in the timeline; the status stays READ.",
      "Arrived late. Shown in the timeline; the status stays READ.",
    ]);
    expect(notes(reversed).join()).not.toContain("Implied");
  });

  test("delivered after failed is reported as what it is", () => {
    const failure = { code: 131026, reason: "131026: Message undeliverable" };
    const late = message({
      status: "DELIVERED",
      events: [reported("failed", 300, failure), reported("delivered", 900)],
    });
    expect(titles(late).slice(2)).toEqual(["FAILED", "DELIVERED"]);
    expect(timelineOf(late)[2]?.failure).toEqual(failure);
    expect(notes(late).at(-1)).toBe("DELIVERED after FAILED: one of the person’s devices got it after all.");
  });

  test("what is reported again counts as repeats of one row; another failure is a row of its own", () => {
    const [one, two] = [
      { code: 1, reason: "1: one" },
      { code: 2, reason: "2: two" },
    ];
    const fourTimes = { ...reported("failed", 2, one), repeats: 3 };
    const again = message({ events: [reported("failed", 1, one), fourTimes, reported("failed", 3, two)] });
    expect(titles(again).slice(2)).toEqual(["FAILED", "FAILED"]);
    expect(notes(again)).toContain("Received 4 more times; ignored.");
  });

  test("a word that no one knows is shown raw", () => {
    const odd = message({ events: [reported("teleported", 300)] });
    expect(titles(odd).at(-1)).toBe("TELEPORTED");
    expect(notes(odd).at(-1)).toContain("Unknown status");
  });

  test.each([
    ["REFUSED", 132000, "Refused by WhatsApp"],
    ["REFUSED_RETRYABLE", null, "Not sent"],
    ["UNKNOWN", null, "No usable response from WhatsApp"],
    ["DISPATCHING", null, "On its way to WhatsApp"],
  ] as const)("phase %s with code %s ends in %j", (phase, failureCode, title) => {
    const refused = message({ phase, failureCode, whatsappMessageId: null, sentAt: null, failureReason: "Why." });
    expect(titles(refused).at(-1)).toBe(title);
  });
});

describe("a message's page looks again", () => {
  const now = later(10_000);
  test("soon at first, later seldom, and never once nothing is to be expected", () => {
    const age = (ms: number) => refreshEveryMs(message(), later(ms));
    expect(age(1_000)).toBeLessThanOrEqual(2_000);
    expect(age(3_600_000)).toBeGreaterThan(age(1_000) ?? 0);
    expect(age(60 * 24 * 3_600_000)).toBeNull();
    expect(refreshEveryMs(message({ status: "READ" }), now)).toBeNull();
  });

  test("for a minute after a failure, which a delivery may still follow", () => {
    const failed = message({ status: "FAILED", failedAt: later(300) });
    expect(refreshEveryMs(failed, now)).not.toBeNull();
    expect(refreshEveryMs(failed, later(70_000))).toBeNull();
  });
});
