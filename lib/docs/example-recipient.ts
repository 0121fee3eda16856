import type { Mode } from "@/db/schema/identity";

/** A number set aside for drama; to it the sandbox delivers. */
export const TEST_RECIPIENT = "447700900003";

/** To whom a shown call sends. A live one costs, so it is refused as it stands, until its reader names a recipient. */
export function recipientOf(mode: Mode): string {
  return mode === "test" ? TEST_RECIPIENT : "YOUR_OWN_NUMBER";
}
