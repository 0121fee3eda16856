import { waitWords } from "@/lib/core/text";
import { AMBIGUOUS_CODES, CODE_RULES, type CodeRule } from "@/lib/whatsapp/error-codes";
import { LINE_ERROR_TEXTS } from "./line-error-texts";
import { MESSAGE_ERROR_TEXTS } from "./message-error-texts";

/** A WhatsApp error code, explained. */
export type PlatformErrorPage = {
  code: number;
  title: string;
  why: string;
  /** What the caller of the API can do, and what the owner of the line can do. */
  partner: string;
  owner: string;
  retry: { advice: "yes" | "no"; text: string };
};

/** Every code that a send handles. */
export const PLATFORM_CODES: readonly number[] = [...CODE_RULES.keys(), ...AMBIGUOUS_CODES].sort((a, b) => a - b);

/** Explains a code; undefined if it is unknown. */
export function explainPlatformCode(given: number): PlatformErrorPage | undefined {
  // WhatsApp uses the codes 200 to 299 for a missing permission.
  const code = given >= 200 && given <= 299 ? PERMISSION : given;
  const text = MESSAGE_ERROR_TEXTS[code] ?? LINE_ERROR_TEXTS[code];
  if (!text) return undefined;
  const [why, partner, owner] = text;
  const rule = CODE_RULES.get(code);
  const title = rule?.title ?? "WhatsApp does not know what happened";
  return { code: given, title, why, partner, owner, retry: retryOf(rule) };
}

const PERMISSION = 10;
/** Many codes can occur in the response to a send or later in a webhook. */
const AFTER_ACCEPTANCE = "A message that failed after WhatsApp had accepted it needs a new key.";

const retryOf = (rule: CodeRule | undefined): PlatformErrorPage["retry"] => {
  if (!rule) {
    return {
      advice: "no",
      text: "It may have been sent. A retry with the same idempotency key sends nothing twice.",
    };
  }
  const { blame, retryAfterSeconds } = rule;
  if (retryAfterSeconds !== undefined) {
    const text = `After ${waitWords(retryAfterSeconds)}, with the same idempotency key. ${AFTER_ACCEPTANCE}`;
    return { advice: "yes", text };
  }
  const key = blame === "caller" ? "Then use a new idempotency key." : `Then use the same key. ${AFTER_ACCEPTANCE}`;
  return { advice: "no", text: `Retrying won’t help until this is fixed. ${key}` };
};
