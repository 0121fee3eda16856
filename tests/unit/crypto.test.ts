import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currentSeal, decrypt, encrypt } from "@/lib/core/crypto";

const ROW = "ws_1/pn_1";

test("what was encrypted is read back as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), fc.string(), (plain, row, key) => {
      expect(decrypt(encrypt(plain, row, [key]), row, [key])).toBe(plain);
    }),
  );
});

test("a value begins as its key's values do, and as no other key's", () => {
  expect(encrypt("EAAtoken", ROW, ["new", "old"]).startsWith(currentSeal(["new", "old"]))).toBe(true);
  expect(encrypt("EAAtoken", ROW, ["old"]).startsWith(currentSeal(["new", "old"]))).toBe(false);
});

test("the stored value shows neither the text nor that two are alike", () => {
  const values = [encrypt("EAAtoken", ROW, ["key"]), encrypt("EAAtoken", ROW, ["key"])];
  expect(values[0]).not.toBe(values[1]);
  expect(values.join()).not.toContain("EAAtoken");
});

describe("a value cannot be read", () => {
  test("in another row than its own", () => {
    expect(() => decrypt(encrypt("EAAtoken", ROW, ["key"]), "ws_1/pn_2", ["key"])).toThrow();
  });

  test("after any byte of it changed", () => {
    const value = encrypt("EAAtoken", ROW, ["key"]);
    const [version, id, sealed = ""] = value.split(".");
    const bytes = Buffer.from(sealed, "base64url");
    for (const [place, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes);
      changed[place] = byte ^ 1;
      expect(() => decrypt([version, id, changed.toString("base64url")].join("."), ROW, ["key"])).toThrow();
    }
  });

  test("without its key, and the reason is said", () => {
    expect(() => decrypt(encrypt("EAAtoken", ROW, ["key"]), ROW, ["other"])).toThrow(/a key that is not configured/);
  });

  test("when it is no such value at all", () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(() => decrypt(text, ROW, ["key"])).toThrow()));
  });
});

describe("replacing the key", () => {
  test("old values are read under the previous key, new ones are written under the current", () => {
    const old = encrypt("EAAtoken", ROW, ["previous"]);
    expect(decrypt(old, ROW, ["current", "previous"])).toBe("EAAtoken");
    const fresh = encrypt("EAAtoken", ROW, ["current", "previous"]);
    expect(decrypt(fresh, ROW, ["current"])).toBe("EAAtoken");
  });
});
