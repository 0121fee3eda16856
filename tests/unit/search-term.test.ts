import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newKeyPair } from "@/lib/api-keys/key-pair";
import { newId } from "@/lib/core/new-id";
import { readSearchTerm } from "@/lib/core/search-term";

describe("readSearchTerm", () => {
  test.each(["msg", "req", "pn", "ct", "tpl", "key", "whe"] as const)("finds a %s_ id wherever it stands", (prefix) => {
    const id = newId(prefix);
    for (const given of [id, ` ${id}\n`, `"${id}"`, `https://host/dashboard/x/${id}?tab=1`, `{"requestId":"${id}"}`]) {
      expect(readSearchTerm(given)).toEqual({ kind: "id", prefix, id });
    }
  });

  test("finds the id of a delivery, which is longer", () => {
    const id = `whd_${"0123456789abcdef".repeat(2)}`;
    expect(readSearchTerm(`{"webhook-id":"${id}"}`)).toEqual({ kind: "id", prefix: "whd", id });
    expect(readSearchTerm(id.slice(0, -1))).toMatchObject({ kind: "text" });
  });

  test("finds WhatsApp's id of a message, and the public half of a key", () => {
    const whatsappMessageId = "wamid.HBgMNDQ3NzAwOTAwMTI2FQIAERgS+/=";
    expect(readSearchTerm(`id: ${whatsappMessageId}`)).toEqual({ kind: "whatsappMessageId", whatsappMessageId });
    const { apiKey, apiSecret } = newKeyPair("live");
    expect(readSearchTerm(apiKey)).toEqual({ kind: "apiKey", apiKey });
    expect(readSearchTerm(apiSecret)).toBeUndefined();
    expect(readSearchTerm("whsec_c2VjcmV0")).toBeUndefined();
    expect(readSearchTerm(`${apiKey} ${apiSecret}`)).toBeUndefined();
  });

  test.each([
    "447700900126",
    "+44 7700 900 126",
    "00447700900126",
    "+44 (0)7700 900126",
    "+44-7700-900-126",
    "(44) 7700.900.126",
    "+44 7700‑900‑126",
    "\u202a+44 7700\u00a0900\u202f126\u202c",
  ])("reads %s as the same phone", (text) =>
    expect(readSearchTerm(text)).toEqual({ kind: "text", text, phone: "447700900126" }),
  );

  test.each(["order-447700900126", "123456", "07700 900126", "order 8812"])(
    "reads %s as a text and no phone",
    (text) => {
      expect(readSearchTerm(text)).toEqual({ kind: "text", text, phone: undefined });
    },
  );

  test("has nothing to look for in nothing, and takes any other text as it is", () => {
    for (const given of ["", "  ", '""', "a\0b", "x".repeat(256)]) expect(readSearchTerm(given)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const term = readSearchTerm(text);
        if (term?.kind === "text") expect(text).toContain(term.text);
      }),
    );
  });
});
