import type { Mode } from "@/lib/core/principal";
import type { ApiCall } from "./snippets";

/** A fictional number that the sandbox delivers to. */
export const TEST_RECIPIENT = "447700900003";

/** Returns an example call's recipient. A live call costs money, so it fails until the reader adds a number. */
export function recipientOf(mode: Mode): string {
  return mode === "test" ? TEST_RECIPIENT : "YOUR_OWN_NUMBER";
}

/**
 * What a new key may be tried with. Free text would reach only people who wrote in the last 24 hours. The idempotency key
 * is the API key's own, so that the first call of another one sends, too.
 */
export function firstCall(mode: Mode, apiKey: string | null): ApiCall {
  const template = { type: "template", templateName: "hello_world", templateLanguage: "en_US", templateVariables: {} };
  const { type, ...content } = mode === "test" ? { type: "text", content: "Hello from Switchboard" } : template;
  return {
    method: "POST",
    path: "/messages/send",
    idempotencyKey: ["first-call", apiKey?.slice(-6) ?? mode].join("-"),
    body: { type, phone: recipientOf(mode), ...content },
  };
}
