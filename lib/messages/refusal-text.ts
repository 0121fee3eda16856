import { waitWords } from "@/lib/core/text";
import { asSentence } from "@/lib/whatsapp/platform-text";
import type { RefusedSend } from "@/lib/whatsapp/post-message";

const MOST_CHARACTERS = 280;
const MOST_TOLD_CHARACTERS = 150;

/** Whether the same Idempotency-Key sends the row again: after every 502, and where the cause of a 400 passes by itself. */
export function keepsKey({ blame, retryable }: Pick<RefusedSend, "blame" | "retryable">): boolean {
  return blame === "platform" || retryable;
}

/**
 * The public text of a refusal, 280 characters at most: what happened, who has to act or how long to wait, and whether
 * the Idempotency-Key can be used again. `what` names the step that was refused, where that is not the message itself.
 */
export function refusalText(outcome: RefusedSend, what?: string): string {
  const { platform, reason } = outcome;
  if (!platform && reason.endsWith(".")) return `${reason} Nothing was sent; keep the Idempotency-Key.`;
  const subject = what ?? (platform ? "WhatsApp refused this message" : "Nothing was sent");
  const advice = `${what ? "Nothing was sent. " : ""}${adviceOf(outcome)}`;
  // Two blanks, a colon, and the full stop and the ellipsis that a sentence may gain.
  const room = MOST_CHARACTERS - subject.length - advice.length - 5;
  return `${subject}: ${asSentence(reason, Math.min(MOST_TOLD_CHARACTERS, room))} ${advice}`;
}

const adviceOf = (outcome: RefusedSend): string => {
  const { blame, fix, retryAfterSeconds } = outcome;
  if (retryAfterSeconds !== null) {
    const wait = `Retry in ${waitWords(retryAfterSeconds)} with the same Idempotency-Key.`;
    return fix ? `${fix} ${wait}` : wait;
  }
  return blame === "caller"
    ? `${fix ?? "Correct the message."} Use a new Idempotency-Key.`
    : `${fix ?? "The line's owner or WhatsApp must act first."} Then retry with the same Idempotency-Key.`;
};
