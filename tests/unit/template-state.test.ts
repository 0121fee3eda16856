import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents, type TemplateState } from "@/lib/templates/template-state";
import type { TemplateChange, TemplateEvent } from "@/lib/whatsapp/template-webhooks";

const SECOND_MS = 1_000;
const START_MS = Date.UTC(2026, 10, 22);
const at = (second: number) => new Date(START_MS + second * SECOND_MS);

const STORED: TemplateState = {
  status: "PENDING",
  statusChangedAt: null,
  rejectedReason: null,
  category: "UTILITY",
  categoryChangedAt: null,
  qualityScore: null,
  qualityChangedAt: null,
  components: [{ type: "BODY", text: "Before" }],
  componentsChangedAt: null,
  syncedAt: null,
};

const event = (second: number, change: TemplateChange): TemplateEvent => ({
  whatsappBusinessAccountId: "1022",
  whatsappTemplateId: "1",
  name: null,
  language: null,
  occurredAt: at(second),
  change,
});

const status = (word: string | null, category: string | null = null, rejectedReason: string | null = null) =>
  ({ kind: "status", event: word ?? "FLAGGED", status: word, rejectedReason, category }) as const;
const quality = (qualityScore: string) => ({ kind: "quality", qualityScore }) as const;
const text = (body: string): TemplateChange => ({
  kind: "components",
  update: { body, header: null, footer: null, buttons: [] },
});

const word = fc.constantFrom("PENDING", "APPROVED", "PAUSED", "REJECTED", "DISABLED");
const category = fc.constantFrom("UTILITY", "MARKETING");
const changes: fc.Arbitrary<TemplateChange> = fc.oneof(
  fc
    .tuple(word, fc.option(category), fc.option(fc.constantFrom("ABUSIVE_CONTENT")))
    .map(([to, of, reason]) => status(to, of, reason)),
  fc.constantFrom("GREEN", "YELLOW", "RED").map(quality),
  category.map((to) => ({ kind: "category", category: to }) as const),
  fc.string().map(text),
);

/** Events of seconds of their own. */
const events = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -100, max: 100 }), changes), {
    selector: ([second]) => second,
    maxLength: 20,
  })
  .map((list) => list.map(([second, change]) => event(second, change)));

describe("a template after events", () => {
  test("is the same in whatever order and groups they come, and however often", () => {
    const arrivals = events.chain((list) =>
      fc.record({
        list: fc.constant(list),
        order: fc.shuffledSubarray([...list, ...list], { minLength: 2 * list.length, maxLength: 2 * list.length }),
        groupSize: fc.integer({ min: 1, max: 7 }),
        syncedAt: fc.option(fc.integer({ min: -100, max: 100 }).map(at)),
      }),
    );
    fc.assert(
      fc.property(arrivals, ({ list, order, groupSize, syncedAt }) => {
        const stored = { ...STORED, syncedAt };
        let standing: TemplateState = stored;
        for (let from = 0; from < order.length; from += groupSize) {
          standing = applyEvents(standing, order.slice(from, from + groupSize));
        }
        expect(standing).toEqual(applyEvents(stored, list));
      }),
    );
  });

  test("has of each part what the last event about it says", () => {
    const list = [event(1, status("PAUSED", "MARKETING")), event(3, quality("RED")), event(2, quality("GREEN"))];
    expect(applyEvents(STORED, [...list, event(9, text("After")), event(8, text("Between"))])).toEqual({
      ...STORED,
      status: "PAUSED",
      statusChangedAt: at(1),
      category: "MARKETING",
      categoryChangedAt: at(1),
      qualityScore: "RED",
      qualityChangedAt: at(3),
      components: [{ type: "BODY", text: "After" }],
      componentsChangedAt: at(9),
    });
  });

  test("stays as a later sync has found it, but not against an event of that very second", () => {
    const synced = { ...STORED, syncedAt: new Date(START_MS + 5_400) };
    expect(applyEvents(synced, [event(4, status("PAUSED")), event(4, quality("RED")), event(4, text("Old"))])).toEqual(
      synced,
    );
    expect(applyEvents(synced, [event(5, status("PAUSED"))]).status).toBe("PAUSED");
  });

  test("knows since when it has the status that a faster sync has found", () => {
    const synced = { ...STORED, status: "APPROVED", syncedAt: at(5) };
    const dated = { ...synced, statusChangedAt: at(3) };
    expect(applyEvents(synced, [event(3, status("APPROVED")), event(2, status("PAUSED"))])).toEqual(dated);
    expect(applyEvents(dated, [event(1, status("APPROVED"))])).toEqual(dated);
  });

  test("keeps its status where the event leaves it open, and its texts where they were not read", () => {
    const flagged = applyEvents(STORED, [event(1, status(null, null, "SPAM"))]);
    expect(flagged).toEqual({ ...STORED, rejectedReason: "SPAM" });
    const unread = { ...STORED, components: null };
    expect(applyEvents(unread, [event(1, text("After"))])).toEqual(unread);
  });
});
