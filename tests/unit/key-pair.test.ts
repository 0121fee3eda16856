import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSecret, matchingHash, newKeyPair, secretChecksum } from "@/lib/api-keys/key-pair";

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

const hashes = (secret: string, peppers: string[]) => peppers.map((pepper) => hashSecret(secret, pepper));
const secretMatches = (secret: string, hash: Uint8Array, peppers: string[]) =>
  matchingHash(hashes(secret, peppers), [hash]) === hash;

describe("of the hashes that a key has", () => {
  test("the one of the secret is proven, under any pepper; without it, or where there is none, no secret proves any", () => {
    const texts = [fc.string(), fc.string(), fc.string()] as const;
    fc.assert(
      fc.property(...texts, fc.array(fc.string(), { minLength: 1 }), (secret, other, absent, peppers) => {
        fc.pre(secret !== other);
        const [hash, otherHash] = [hashSecret(secret, peppers[0] ?? ""), hashSecret(other, peppers[0] ?? "")];
        expect(matchingHash(hashes(secret, peppers), [hash, null])).toBe(hash);
        expect(matchingHash(hashes(secret, peppers), [otherHash, hash])).toBe(hash);
        expect(matchingHash(hashes(absent, peppers), [null, undefined])).toBeUndefined();
        expect(matchingHash([otherHash], [hash, null])).toBeUndefined();
      }),
    );
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
