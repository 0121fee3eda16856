import fc from "fast-check";
import { expect, test } from "vitest";
import { newId, timeOfId } from "@/lib/core/new-id";

test("an id says what it identifies and is safe in a URL", () => {
  const id = newId("msg");
  expect(id).toMatch(/^msg_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(encodeURIComponent(id)).toBe(id);
});

test("ids sort as they were made", () => {
  const time = fc.nat(2 ** 45);
  fc.assert(
    fc.property(time, time, (one, other) => {
      fc.pre(one !== other);
      expect(newId("msg", one) < newId("msg", other)).toBe(one < other);
    }),
  );
});

test("ids of the same millisecond differ", () => {
  const ids = Array.from({ length: 10_000 }, () => newId("msg", 1_790_000_000_000));
  expect(new Set(ids).size).toBe(10_000);
});

test("every character of the random part takes every value", () => {
  const seen = Array.from({ length: 16 }, () => new Set<string>());
  for (let i = 0; i < 2_000; i++) {
    [...newId("msg").slice(-16)].forEach((character, place) => {
      seen[place]?.add(character);
    });
  }
  expect(seen.map((characters) => characters.size)).toEqual(Array(16).fill(32));
});

test("an id shows when it was made; other texts show nothing", () => {
  fc.assert(
    fc.property(fc.nat(2 ** 45), (ms) => {
      expect(timeOfId(newId("req", ms))).toEqual(new Date(ms));
    }),
  );
  for (const text of ["", "req_", "req_short", `REQ_${"0".repeat(26)}`, `req_${"u".repeat(26)}`, "wamid.HBg"]) {
    expect(timeOfId(text)).toBeUndefined();
  }
  expect(timeOfId(`req_${"z".repeat(26)}`)).toBeUndefined();
});
