import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf, withOptOut } from "@/lib/messages/statuses/barred-marketing";

const NOW = new Date("2026-11-26T12:00:00.000Z");
const DAY_MS = 24 * 3_600_000;
const NOTHING = { opted_out_at: null, source: null, withheld_at: null };
const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString();

describe("a marketing template that may not be sent", () => {
  test("is no refusal without a reason", () => {
    expect(refusalOf(NOTHING, "sale", { now: NOW })).toBeUndefined();
  });

  test("waits exactly until 24 hours after WhatsApp withheld it, at least a second, in a text of at most 280 characters", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: DAY_MS + 5_000 }),
        fc.stringMatching(/^[a-z0-9_]{1,512}$/),
        (ageMs, name) => {
          const refusal = refusalOf({ ...NOTHING, withheld_at: ago(ageMs) }, name, { now: NOW });
          const { retryAt, retryAfterSeconds = 0, retryable, platform } = refusal?.details ?? {};
          expect(retryAt).toBe(new Date(NOW.getTime() - ageMs + DAY_MS).toISOString());
          expect(retryAfterSeconds).toBe(Math.max(1, Math.ceil((DAY_MS - ageMs) / 1_000)));
          expect([refusal?.status, retryable, platform?.code]).toEqual([400, true, 131049]);
          expect(refusal?.headers["Retry-After"]).toBe(`${retryAfterSeconds}`);
          expect([...(refusal?.message ?? "")].length).toBeLessThanOrEqual(280);
        },
      ),
    );
  });

  test("to a person who stopped them is refused for good, whatever WhatsApp withheld", () => {
    fc.assert(
      fc.property(fc.constantFrom("whatsapp", "word"), fc.boolean(), (source, isWithheld) => {
        const bar = { opted_out_at: ago(DAY_MS), source, withheld_at: isWithheld ? ago(1) : null } as const;
        const refusal = refusalOf(bar, "sale", { now: NOW, messageId: "msg_1" });
        expect(refusal?.details).toMatchObject({
          refusedBy: "switchboard",
          outcome: "not_sent",
          retryable: false,
          optedOutAt: ago(DAY_MS),
          optOutSource: source,
          messageId: "msg_1",
          platform: { code: 131050 },
        });
        expect(refusal?.headers).toEqual({});
        expect(refusal?.message.length).toBeLessThanOrEqual(280);
      }),
    );
  });
});

test("WhatsApp's reason stays in front of the opt-out, however long and with whatever end", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 900 }), (words) => {
      const reason = withOptOut(`131050: ${words.trim()}`, { at: NOW, source: "word" });
      expect(reason.startsWith("131050: ")).toBe(true);
      expect(reason.endsWith(" The person stopped them with a stop word at 2026-11-26T12:00:00.000Z.")).toBe(true);
      expect(reason.length).toBeLessThanOrEqual(600);
    }),
  );
});
