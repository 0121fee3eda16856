import { expect, test } from "vitest";
import { isFreshSignIn } from "@/lib/auth/fresh-sign-in";

test.each([
  [0, true],
  [599, true],
  [600, false],
  [8 * 3_600, false],
])("a sign-in of %i seconds ago is fresh: %s", (secondsAgo, isFresh) => {
  expect(isFreshSignIn(1_000_000 - secondsAgo, 1_000_000)).toBe(isFresh);
});
