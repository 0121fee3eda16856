import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "@/db/schema";
import { toMessageResource } from "@/lib/api/message-resource";

const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") });
/** What only the row holds. */
const KEPT = { request: "secret request", idempotencyKey: "secret key", failureTraceId: "secret trace" };
const message = fc
  .record({
    id: fc.string(),
    status: fc.constantFrom("PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"),
    whatsappMessageId: fc.option(fc.string()),
    failureReason: fc.option(fc.string()),
    contentsRemovedAt: fc.option(instant),
    sentAt: fc.option(instant),
    deliveredAt: fc.option(instant),
    readAt: fc.option(instant),
    failedAt: fc.option(instant),
    createdAt: instant,
  })
  .map((shown) => ({ ...KEPT, ...shown }) as Message);

describe("toMessageResource", () => {
  test("has every field of the specification and none beside, null rather than missing", () => {
    fc.assert(
      fc.property(message, fc.boolean(), (message, idempotentReplay) => {
        const resource = toMessageResource(message, { idempotentReplay });
        const times = ["sentAt", "deliveredAt", "readAt", "createdAt"];
        const fields = ["id", "status", "chatMessageId", "failureReason", ...times, "idempotentReplay"];
        expect(Object.keys(resource)).toEqual(fields);
        const json = JSON.stringify(resource);
        expect(JSON.parse(json)).toEqual(resource);
        expect(json).not.toContain("secret");
        for (const at of [resource.sentAt, resource.deliveredAt, resource.readAt, resource.createdAt]) {
          expect(at === null || new Date(at).toISOString() === at).toBe(true);
        }
        expect(resource.failureReason).toBe(message.status === "FAILED" ? message.failureReason : null);
      }),
    );
  });
});
