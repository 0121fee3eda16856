import fc from "fast-check";
import { expect, test } from "vitest";
import { planInbound, type ResolvedMessage } from "@/lib/contacts/inbound-plan";
import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";

const message = (some: Partial<InboundMessage> = {}): InboundMessage => ({
  whatsappPhoneNumberId: "1",
  from: "5511912345678",
  whatsappUserId: null,
  alias: null,
  name: null,
  occurredAt: new Date(1_000),
  isFlowReply: false,
  repliesTo: null,
  ...some,
});
const resolved = (some: Partial<InboundMessage> = {}, more: Partial<ResolvedMessage> = {}): ResolvedMessage => ({
  workspaceId: "ws_1",
  phoneNumberId: "pn_1",
  message: message(some),
  authors: [],
  answered: null,
  ...more,
});
const ids = () => {
  let count = 0;
  return () => `ct_new${++count}`;
};

test("a sender without any known id becomes one contact, also where a batch names them twice", () => {
  const batch = [
    resolved({ whatsappUserId: "BR.1", name: "Older" }),
    resolved({ from: null, whatsappUserId: "BR.1", occurredAt: new Date(2_000), name: "Newer" }),
  ];
  for (const order of [batch, batch.toReversed()]) {
    const plan = planInbound(order, ids());
    expect(plan.created).toHaveLength(1);
    expect(plan.seen).toEqual([
      expect.objectContaining({ contactId: "ct_new1", at: new Date(2_000), name: "Newer", userId: "BR.1" }),
    ]);
  }
});

test("a number other than the author's is an alias; the author's own, or a first one, is none", () => {
  const by = (phone: string | null) => planInbound([resolved({}, { authors: [{ id: "ct_1", phone }] })], ids());
  expect(by("551112345678").aliases).toEqual([{ workspaceId: "ws_1", waId: "5511912345678", contactId: "ct_1" }]);
  expect(by("5511912345678").aliases).toEqual([]);
  expect(by(null)).toMatchObject({ aliases: [], seen: [{ phone: "5511912345678" }] });
});

test("property: no one is seen twice, every message is seen, and order does not matter", () => {
  const author = fc.record({
    id: fc.constantFrom("ct_1", "ct_2", "ct_3"),
    phone: fc.constantFrom("5511912345678", "551112345678", null),
  });
  const one = fc.record({
    from: fc.constantFrom("5511912345678", "551112345678", null),
    whatsappUserId: fc.constantFrom("BR.1", "BR.2"),
    seconds: fc.integer({ min: 1, max: 9 }),
    authors: fc.uniqueArray(author, { selector: ({ id }) => id, maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), (many) => {
      const batch = many.map(({ seconds, authors, ...some }, index) =>
        resolved({ ...some, occurredAt: new Date(seconds * 1_000 + index) }, { authors }),
      );
      const [plan, reversed] = [planInbound(batch, ids()), planInbound(batch.toReversed(), ids())];
      expect(reversed).toEqual(plan);
      const seen = plan.seen.map(({ contactId }) => contactId);
      expect(new Set(seen).size).toBe(seen.length);
      for (const { authors } of batch) for (const { id } of authors) expect(seen).toContain(id);
      for (const { id } of plan.created) expect(seen).toContain(id);
      const firstNumbers = plan.seen.flatMap(({ phone }) => phone ?? []);
      expect(new Set(firstNumbers).size).toBe(firstNumbers.length);
    }),
  );
});
