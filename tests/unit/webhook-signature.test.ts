import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSigned, sign } from "@/lib/whatsapp/webhook-signature";

const bytes = (text: string) => new TextEncoder().encode(text);
const RAW = bytes('{"object":"whatsapp_business_account","name":"\\u00e4"}');
const ANOTHER_DIGEST = `sha256=${"ab".repeat(32)}`;

describe("isSigned", () => {
  test("agrees with a known HMAC-SHA256", () => {
    // The second test case of RFC 4231.
    const raw = bytes("what do ya want for nothing?");
    const header = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    expect(sign(raw, "Jefe")).toBe(header);
    expect(isSigned(raw, header, ["Jefe"])).toBe(true);
  });

  test("takes upper and lower case hex, and any of the secrets", () => {
    const header = sign(RAW, "old");
    expect(isSigned(RAW, header, ["new", "old"])).toBe(true);
    expect(isSigned(RAW, `sha256=${header.slice(7).toUpperCase()}`, ["old"])).toBe(true);
  });

  test.each([
    [null],
    [""],
    ["sha256="],
    [sign(RAW, "secret").slice(7)],
    [sign(RAW, "secret").slice(0, -1)],
    [`${sign(RAW, "secret")}0`],
    [`${sign(RAW, "secret")}, ${sign(RAW, "secret")}`],
    [`sha1=${sign(RAW, "secret").slice(7, 47)}`],
    [`sha256=${"z".repeat(64)}`],
    [ANOTHER_DIGEST],
  ])("refuses the header %j", (header) => {
    expect(isSigned(RAW, header, ["secret"])).toBe(false);
  });

  test("refuses everything where no secret is set", () => {
    expect(isSigned(RAW, sign(RAW, ""), [""])).toBe(false);
    expect(isSigned(RAW, sign(RAW, ""), [])).toBe(false);
  });

  test("takes what was signed and refuses it with one bit changed", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.string({ minLength: 1 }), fc.nat(), (raw, secret, at) => {
        const header = sign(raw, secret);
        expect(isSigned(raw, header, [secret])).toBe(true);
        const changed = raw.map((byte, index) => (index === at % raw.length ? byte ^ 1 : byte));
        expect(isSigned(changed, header, [secret])).toBe(false);
        expect(isSigned(raw, header, [`${secret}x`])).toBe(false);
      }),
    );
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: "binary" }), (raw, header) => {
        expect(isSigned(raw, header, ["secret"])).toBe(false);
      }),
    );
  });
});
