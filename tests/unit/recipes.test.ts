import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applied, readRecipes } from "../support/recipes";

/** The most files that each may take by hand. One that needs more needs another design. */
const MOST: Record<string, number> = {
  "A query parameter": 4,
  "A filter of a list": 6,
  "A kind of alert": 6,
  "A field of a message": 12,
};

test("each frequent change has its recipe", () => {
  expect(readRecipes().map(({ name }) => name)).toEqual(Object.keys(MOST));
});

// That they lead to what they say is in tests/long/recipes.test.ts.
describe.each(readRecipes())("$name", ({ name, files, byHand }) => {
  test(`takes ${MOST[name]} files by hand at most`, () => {
    expect(byHand.length).toBeLessThanOrEqual(MOST[name] ?? 0);
  });

  test.each(files)("is what $file takes as it is now", ({ file, hunks }) => {
    expect(hunks.length).toBeGreaterThan(0);
    expect(() => applied(readFileSync(file, "utf8"), hunks)).not.toThrow();
  });
});
