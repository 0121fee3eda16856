import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "@/db/schema";
import { toMessageResource } from "@/lib/api/message-resource";

const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") });
const message: fc.Arbitrary<Message> = fc.record({
  workspaceId: fc.constant("ws_1"),
  id: fc.string(),
  mode: fc.constantFrom("live", "test"),
  apiKeyId: fc.constant(null),
  phoneNumberId: fc.constant("pn_1"),
  contactId: fc.constant("ct_1"),
  phone: fc.constant("447700900123"),
  type: fc.constantFrom("text", "template", "interactive"),
  templateName: fc.constant(null),
  templateLanguage: fc.constant(null),
  request: fc.constant("secret request"),
  requestId: fc.constant("req_1"),
  traceparent: fc.constant(null),
  idempotencyKey: fc.constant("secret key"),
  fingerprint: fc.uint8Array(),
  phase: fc.constantFrom("ACCEPTED", "DISPATCHING", "SENT", "REFUSED", "REFUSED_RETRYABLE", "UNKNOWN"),
  fencingToken: fc.nat(),
  leaseExpiresAt: instant,
  attempt: fc.nat(),
  status: fc.constantFrom("PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"),
  whatsappMessageId: fc.option(fc.string()),
  whatsappMessageStatus: fc.constant(null),
  failureReason: fc.option(fc.string()),
  failureCode: fc.constant(null),
  failureTraceId: fc.constant("secret trace"),
  withheldBeforeAt: fc.constant(null),
  pricingBillable: fc.constant(true),
  pricingType: fc.constant("regular"),
  pricingCategory: fc.constant("utility"),
  pricingModel: fc.constant("PMP"),
  pricedAt: instant,
  recipientCountry: fc.constant("GB"),
  unitMonth: fc.constant(null),
  keyUnitMonth: fc.constant(null),
  dispatchedAt: fc.option(instant),
  sentAt: fc.option(instant),
  contentsRemovedAt: fc.option(instant),
  deliveredAt: fc.option(instant),
  readAt: fc.option(instant),
  failedAt: fc.option(instant),
  eventCount: fc.nat(),
  createdAt: instant,
  updatedAt: instant,
});

describe("toMessageResource", () => {
  test("has every field of the specification and none beside, null rather than missing", () => {
    fc.assert(
      fc.property(message, fc.boolean(), (message, idempotentReplay) => {
        const resource = toMessageResource(message, { idempotentReplay });
        expect(Object.keys(resource)).toEqual([
          "id",
          "status",
          "chatMessageId",
          "failureReason",
          "sentAt",
          "deliveredAt",
          "readAt",
          "createdAt",
          "idempotentReplay",
        ]);
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
