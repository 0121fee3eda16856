import { expect, test } from "vitest";
import { fieldChanges } from "@/lib/workspaces/wording";

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
