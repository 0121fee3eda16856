import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IdPrefix, newId } from "@/lib/core/new-id";
import { maskedPath, maskNumbers } from "@/lib/core/phone";

const PHONE = "447700900126";

/** A list of all prefixes that types complete. */
const PREFIXES = Object.keys({
  ws: 0,
  usr: 0,
  key: 0,
  pn: 0,
  ct: 0,
  tpl: 0,
  msg: 0,
  evt: 0,
  wh: 0,
  whe: 0,
  req: 0,
  aud: 0,
  alr: 0,
  mail: 0,
  inv: 0,
  ses: 0,
} satisfies Record<IdPrefix, 0>) as IdPrefix[];

describe("maskNumbers", () => {
  test.each([
    [`/api/v1/public/messages/${PHONE}`, "/api/v1/public/messages/44770•••0126"],
    ["/messages/wamid.HBgMNDQ3NzAwOTAwMTI2FQIAERgS", "/messages/wamid.…"],
    ["key sk_live_abc123 here", "key sk_… here"],
    ["order 123456", "order 123456"],
    [`not ${PHONE}, but digits like 447700900123.`, "not 44770•••0126, but digits like 447700900123."],
    ["٤٤٧٧٠٠٩٠٠١٢٦", "٤٤٧٧٠•••٠١٢٦"],
  ])("%s is %s", (text, masked) => expect(maskNumbers(text)).toBe(masked));

  test("leaves our own ids as they are", () => {
    const digits = "0".repeat(26);
    for (const id of [...PREFIXES.map((prefix) => `${prefix}_${digits}`), `whd_${"1".repeat(32)}`])
      expect(maskNumbers(id)).toBe(id);
    fc.assert(
      fc.property(fc.constantFrom(...PREFIXES), (prefix) => {
        const id = newId(prefix);
        expect(maskNumbers(`No message "${id}".`)).toBe(`No message "${id}".`);
      }),
    );
  });
});

describe("maskedPath", () => {
  test.each([
    ["msg_01m7wpxq0bpz1234567890te7r", "msg_01m7wpxq0bpz1234567890te7r"],
    ["sk_live_abcDEF123", "sk_…"],
    ["447700900123", "44770•••0123"],
    ["%2B447700900123/x", "44770•••0123/x"],
    ["%2B44%207700-900%20123", "44770•••0123"],
    ["+447700900123?phone=447700900123", "44770•••0123"],
    ["wamid.HBgMNDQ3NzAwOTAwMTIz", "wamid.…"],
    ["%E0%A4%A", "%E0%A4%A"],
  ])("keeps our ids, and shows no secret and no number: %s", (given, shown) => {
    expect(maskedPath(`http://localhost:3000/messages/${given}`)).toBe(`/messages/${shown}`);
  });

  test("is cut at 200 characters, and a number across the cut is masked", () => {
    expect(maskedPath(`http://localhost:3000/${"x".repeat(5_000)}`).length).toBe(200);
    expect(maskedPath(`http://localhost:3000/${"x".repeat(190)}${PHONE}`)).not.toMatch(/\d{7}/);
  });
});
