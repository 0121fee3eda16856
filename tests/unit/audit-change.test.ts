import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldChanges } from "@/lib/workspaces/audit-sentences";
import { changeOf, HIDDEN } from "@/lib/workspaces/record-audit";

describe("a change", () => {
  test("names the fields that differ and no other", () => {
    const before = { label: "Old", isActive: true, plan: "free", at: null };
    expect(changeOf(before, { label: "New", isActive: true, plan: undefined, at: null })).toEqual({
      before: { label: "Old" },
      after: { label: "New" },
    });
  });

  test("of nothing is none", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (row) => {
        expect(changeOf(row, row)).toBeUndefined();
        expect(changeOf(row, {})).toBeUndefined();
      }),
    );
  });

  test("that makes a thing has no before and every field that was given", () => {
    expect(changeOf(undefined, { label: "New", ref: undefined })).toEqual({ before: null, after: { label: "New" } });
  });

  test("never shows a secret or a recipient, only that they changed", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), fc.string({ minLength: 12 }), (secret, other) => {
        fc.pre(secret !== other && !secret.includes(HIDDEN) && !other.includes(HIDDEN));
        for (const name of ["accessToken", "passwordHash", "secretHash", "phone"]) {
          const change = changeOf({ [name]: secret }, { [name]: other }, { personal: ["phone"] });
          expect(change).toEqual({ before: { [name]: HIDDEN }, after: { [name]: HIDDEN } });
          expect(changeOf({ [name]: null }, { [name]: other }, { personal: ["phone"] })?.before).toEqual({
            [name]: null,
          });
        }
      }),
    );
  });
});

test("a new thing has no values before, and a removed field has none after", () => {
  expect(fieldChanges({ before: null, after: { label: "a", limit: 5, isActive: true } })).toEqual([
    { field: "label", before: undefined, after: "a" },
    { field: "limit", before: undefined, after: "5" },
    { field: "isActive", before: undefined, after: "yes" },
  ]);
  expect(fieldChanges({ before: { role: "admin" }, after: null })).toEqual([
    { field: "role", before: "admin", after: "none" },
  ]);
});
