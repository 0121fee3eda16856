import { expect, test } from "vitest";
import { isFreshSignIn } from "@/lib/auth/credential-limits";

test.each([
  [0, true],
  [599, true],
  [600, false],
  [8 * 3_600, false],
])("a sign-in of %i seconds ago is fresh: %s", (secondsAgo, isFresh) => {
  const now = new Date("2026-11-22T12:00:00Z");
  expect(isFreshSignIn(new Date(now.getTime() - secondsAgo * 1_000), now)).toBe(isFresh);
});
