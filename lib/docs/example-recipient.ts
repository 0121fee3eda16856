import type { Mode } from "@/db/schema/identity";

/** A fictional number that the sandbox delivers to. */
export const TEST_RECIPIENT = "447700900003";

/** Returns an example call's recipient. A live call costs money, so it fails until the reader adds a number. */
export function recipientOf(mode: Mode): string {
  return mode === "test" ? TEST_RECIPIENT : "YOUR_OWN_NUMBER";
}
