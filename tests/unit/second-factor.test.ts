import fc from "fast-check";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { enrolmentAddress, newFactorSecret, newRecoveryCodes, readCode, stepOf } from "@/lib/auth/second-factor";

const STEP_MS = 30_000;
const secret = newFactorSecret();
const codeAt = (step: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: step * STEP_MS });

test("a code is taken in its own time step and those beside it, as that step", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), fc.integer({ min: -3, max: 3 }), (step, ahead) => {
      const found = stepOf(secret, codeAt(step + ahead), new Date(step * STEP_MS + 29_999));
      // A code of another step may be the same digits.
      if (Math.abs(ahead) <= 1) expect(codeAt(found ?? -1)).toBe(codeAt(step + ahead));
      else if (found !== undefined) expect(codeAt(found)).toBe(codeAt(step + ahead));
    }),
  );
});

test("the codes of RFC 6238 are those of its secret", () => {
  const ofRfc = Secret.fromLatin1("12345678901234567890").base32;
  for (const [seconds, code] of [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [2_000_000_000, "279037"],
  ] as const) {
    expect(stepOf(ofRfc, code, new Date(seconds * 1_000))).toBe(Math.floor(seconds / 30));
  }
});

test.each(["12345", "1234567", "abcdef", "12345a", "", "abcd-efgh-ijkl-mno1", "a".repeat(17)])(
  "%j is no code",
  (text) => {
    expect(readCode(text)).toBeUndefined();
  },
);

test("a code is read with spaces, dashes, capitals and digits of another width", () => {
  expect(readCode(" 123 456 ")).toEqual({ kind: "app", digits: "123456" });
  expect(readCode("１２３４５６")).toEqual({ kind: "app", digits: "123456" });
  const { codes, hashes } = newRecoveryCodes();
  expect([new Set(codes).size, hashes.length]).toEqual([10, 10]);
  for (const [i, code] of codes.entries()) {
    expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    for (const typed of [code, code.toUpperCase().replaceAll("-", " "), code.replaceAll("-", "")]) {
      expect(readCode(typed)).toEqual({ kind: "recovery", hash: hashes[i] });
    }
  }
});

test("the QR code names deployment and account, and nothing that apps would ignore", () => {
  const address = new URL(enrolmentAddress(secret, { email: "kim+a@acme.test", appUrl: "https://gate.acme.test" }));
  expect(address.protocol).toBe("otpauth:");
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    secret,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
  expect(decodeURIComponent(address.pathname)).toContain("kim+a@acme.test");
});
