import { describe, expect, test } from "vitest";
import { hashSecret, VerifiedKeyCache } from "@/lib/api-keys/key-pair";

const hashOf = (secret: string) => () => hashSecret(secret, "pepper");

describe("a pair that was proven a moment ago", () => {
  test("is known by its own secret only, and for 10 s", () => {
    const pairs = new VerifiedKeyCache<string>();
    pairs.remember("pk", hashOf("right")(), { holder: "holder", nowMs: 5_000 });
    expect(pairs.find("pk", hashOf("right"), 5_000)).toBe("holder");
    expect(pairs.find("pk", hashOf("wrong"), 5_000)).toBeUndefined();
    expect(pairs.find("other", hashOf("right"), 5_000)).toBeUndefined();
    expect(pairs.find("pk", hashOf("right"), 14_999)).toBe("holder");
    expect(pairs.find("pk", hashOf("right"), 15_000)).toBeUndefined();
  });

  test("is forgotten for others where there are too many", () => {
    const pairs = new VerifiedKeyCache<number>(3);
    for (let i = 0; i < 10; i++) pairs.remember(`pk ${i}`, hashOf("secret")(), { holder: i, nowMs: 0 });
    const known = [...Array(10).keys()].filter((i) => pairs.find(`pk ${i}`, hashOf("secret"), 0) === i);
    expect(known).toEqual([7, 8, 9]);
  });
});
