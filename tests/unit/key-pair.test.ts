import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newKeyPair, secretChecksum } from "@/lib/api-keys/key-pair";

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

  test("has a secret that ends with the checksum of the rest", () => {
    fc.assert(
      fc.property(mode, (mode) => {
        const { apiSecret } = newKeyPair(mode);
        expect(apiSecret.slice(-6)).toBe(secretChecksum(apiSecret.slice(0, -6)));
      }),
    );
  });
});

describe("the checksum of a secret", () => {
  test("is the CRC-32 that others compute of the same text", () => {
    // Computed with Python's zlib.crc32, written in base 62.
    const secret = "sk_test_0000000000000000000000000000000000000000000";
    expect(secretChecksum(secret)).toBe("1NyHUD");
  });

  test("is another one after any single character changed", () => {
    const secret = newKeyPair("live").apiSecret.slice(0, -6);
    fc.assert(
      fc.property(
        fc.nat(secret.length - 1),
        fc.constantFrom(..."0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_ -"),
        (place, character) => {
          fc.pre(secret[place] !== character);
          const changed = secret.slice(0, place) + character + secret.slice(place + 1);
          expect(secretChecksum(changed)).not.toBe(secretChecksum(secret));
        },
      ),
    );
  });
});
