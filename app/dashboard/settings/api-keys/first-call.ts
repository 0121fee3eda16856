import type { Mode } from "@/db/schema/identity";
import { recipientOf } from "@/lib/docs/example-recipient";
import type { ApiCall } from "@/lib/docs/snippets";

/** What a new key may be tried with. */
export function firstCall(mode: Mode, content = "Hello from Switchboard"): ApiCall {
  return { method: "POST", path: "/messages/send", body: { type: "text", phone: recipientOf(mode), content } };
}
