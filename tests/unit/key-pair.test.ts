import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSecret, isWellFormedSecret, newKeyPair, secretMatches } from "@/lib/api-keys/key-pair";

const mode = fc.constantFrom("live" as const, "test" as const);

describe("a new pair", () => {
  test("says its mode in both halves and always has the same length", () => {
    fc.assert(
      fc.property(mode, (mode) => {
        const { apiKey, apiSecret } = newKeyPair(mode);
        expect(apiKey).toMatch(new RegExp(`^pk_${mode}_[0-9A-Za-z]{22}$`));
        expect(apiSecret).toMatch(new RegExp(`^sk_${mode}_[0-9A-Za-z]{49}$`));
      }),
    );
  });

  test("is never made twice", () => {
    const pairs = Array.from({ length: 1_000 }, () => newKeyPair("test"));
    expect(new Set(pairs.map(({ apiKey }) => apiKey)).size).toBe(1_000);
    expect(new Set(pairs.map(({ apiSecret }) => apiSecret)).size).toBe(1_000);
  });

  test("has a well-formed secret", () => {
    fc.assert(fc.property(mode, (mode) => isWellFormedSecret(newKeyPair(mode).apiSecret)));
  });
});

describe("a well-formed secret", () => {
  test("has the CRC-32 that others compute of the same text", () => {
    // Computed with Python's zlib.crc32, written in base 62.
    expect(isWellFormedSecret("sk_test_00000000000000000000000000000000000000000001NyHUD")).toBe(true);
  });

  test("is no longer one after any single character changed", () => {
    const { apiSecret } = newKeyPair("live");
    fc.assert(
      fc.property(
        fc.nat(apiSecret.length - 1),
        fc.constantFrom(..."0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_ -"),
        (place, character) => {
          fc.pre(apiSecret[place] !== character);
          const changed = apiSecret.slice(0, place) + character + apiSecret.slice(place + 1);
          expect(isWellFormedSecret(changed)).toBe(false);
        },
      ),
    );
  });

  test("is not the public half, a part of a secret, or nothing", () => {
    const { apiKey, apiSecret } = newKeyPair("live");
    for (const text of [apiKey, apiSecret.slice(0, -1), `${apiSecret}0`, `${apiSecret}\n`, ""]) {
      expect(isWellFormedSecret(text)).toBe(false);
    }
  });
});

describe("a stored hash", () => {
  test("matches its secret under any of the peppers, in whatever order", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.array(fc.string()), (secret, pepper, others) => {
        const hash = hashSecret(secret, pepper);
        expect(secretMatches(secret, hash, [pepper, ...others])).toBe(true);
        expect(secretMatches(secret, hash, [...others, pepper])).toBe(true);
      }),
    );
  });

  test("matches no other secret, and none without the pepper it was made with", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (secret, other, pepper, otherPepper) => {
        // HMAC pads a key with zero bytes, so keys that differ only in those are one.
        fc.pre(secret !== other && pepper.replace(/\0+$/, "") !== otherPepper.replace(/\0+$/, ""));
        const hash = hashSecret(secret, pepper);
        expect(secretMatches(other, hash, [pepper])).toBe(false);
        expect(secretMatches(secret, hash, [otherPepper])).toBe(false);
        expect(secretMatches(secret, hash, [])).toBe(false);
      }),
    );
  });

  test("of another length is refused, not an error", () => {
    expect(secretMatches("secret", new Uint8Array(), ["pepper"])).toBe(false);
  });
});
