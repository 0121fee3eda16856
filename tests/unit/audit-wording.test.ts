import { expect, test } from "vitest";
import { actionWords, fieldChanges, fieldWords } from "@/lib/workspaces/wording";

test.each([
  ["apiKey.rotated", "API key rotated"],
  ["phoneNumber.tokenReplaced", "Line token replaced"],
  ["workspace.limitChanged", "Workspace limit changed"],
  ["somethingNew.happened", "Something new happened"],
])("%s reads %s", (action, words) => expect(actionWords(action)).toBe(words));

test.each([
  ["messageLimit", "message limit"],
  ["isActive", "active"],
  ["apiKey", "API key"],
])("the field %s reads %s", (field, words) => expect(fieldWords(field)).toBe(words));

test("a new thing has no values before, and a field that is gone has none after", () => {
  expect(fieldChanges({ before: null, after: { label: "a", limit: 5, isActive: true } })).toEqual([
    { field: "label", before: undefined, after: "a" },
    { field: "limit", before: undefined, after: "5" },
    { field: "isActive", before: undefined, after: "yes" },
  ]);
  expect(fieldChanges({ before: { role: "admin" }, after: null })).toEqual([
    { field: "role", before: "admin", after: "none" },
  ]);
});
