import type { Mode } from "@/db/schema/identity";
import type { ApiCall } from "./snippets";

/** A fictional number that the sandbox delivers to. */
export const TEST_RECIPIENT = "447700900003";

/** Returns an example call's recipient. A live call costs money, so it fails until the reader adds a number. */
export function recipientOf(mode: Mode): string {
  return mode === "test" ? TEST_RECIPIENT : "YOUR_OWN_NUMBER";
}

/** What a new key may be tried with. */
export function firstCall(mode: Mode, content = "Hello from Switchboard"): ApiCall {
  return { method: "POST", path: "/messages/send", body: { type: "text", phone: recipientOf(mode), content } };
}
