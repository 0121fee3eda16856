import { readFileSync } from "node:fs";
import { waitWords } from "@/lib/core/text";
import { AMBIGUOUS_CODES, CODE_RULES, type CodeRule } from "@/lib/whatsapp/error-codes";
import type { Actor } from "./who-acts";

/** A WhatsApp error code, explained. */
export type PlatformErrorPage = {
  code: number;
  title: string;
  why: string;
  /** What the caller of the API can do, and what the owner of the line can do. */
  partner: string;
  owner: string;
  who: Actor;
  retry: { advice: "yes" | "no"; text: string };
};

/** Every code that a send handles. */
export const PLATFORM_CODES: readonly number[] = [...CODE_RULES.keys(), ...AMBIGUOUS_CODES].sort((a, b) => a - b);

const SHARED: Record<string, string> = {
  "ask-owner": "Nothing in your request is wrong. Ask the workspace’s owner to fix the line, then send again.",
  wait: "Wait, then send again with the same idempotency key. Nothing in your request is wrong.",
  clears: "No action needed; this usually clears on its own. If it lasts, check WhatsApp’s status page.",
  "new-token":
    "Open the line under Lines and replace its access token with one of a system user, which does not expire.",
  register: "Register the number at WhatsApp again, with its PIN, then send again from here.",
};

const ROW = /^\| (\d+) \| (.+) \| (.+) \| (.+) \|$/gm;

/** By code: why WhatsApp refuses, what the caller of the API can do, and what the owner of the line can do. */
const TEXTS = new Map(
  Array.from(
    readFileSync("lib/docs/pages/whatsapp-errors.md", "utf8")
      .replace(/\[\[([\w-]+)\]\]/g, (place, name: string) => SHARED[name] ?? place)
      .matchAll(ROW),
    ([, code, why = "", partner = "", owner = ""]) => [Number(code), { why, partner, owner }],
  ),
);

/** Explains a code, of a message that WhatsApp accepted first if `wasAccepted`, else of any; undefined if it is unknown. */
export function explainPlatformCode(
  given: number,
  { wasAccepted = false }: { wasAccepted?: boolean } = {},
): PlatformErrorPage | undefined {
  // WhatsApp uses the codes 200 to 299 for a missing permission.
  const code = given >= 200 && given <= 299 ? PERMISSION : given;
  const texts = TEXTS.get(code);
  if (!texts) return undefined;
  const rule = CODE_RULES.get(code);
  const title = rule?.title ?? "WhatsApp does not know what happened";
  return { code: given, title, ...texts, who: whoActs(rule, texts.partner), retry: retryOf(rule, wasAccepted) };
}

function whoActs(rule: CodeRule | undefined, partner: string): Actor {
  if (!rule) return "unknown";
  if (rule.retryAfterSeconds !== undefined) return "waiting";
  const isOwners = rule.blame === "platform" || partner === SHARED["ask-owner"] || rule.fix?.startsWith("The owner");
  return isOwners ? "owner" : "caller";
}

const PERMISSION = 10;
/** Many codes can occur in the response to a send or later in a webhook. */
const AFTER_ACCEPTANCE = "A message that failed after WhatsApp had accepted it needs a new key.";

function retryOf(rule: CodeRule | undefined, wasAccepted: boolean): PlatformErrorPage["retry"] {
  if (!rule) {
    return { advice: "no", text: "It may have been sent. A retry with the same idempotency key sends nothing twice." };
  }
  const { blame, retryAfterSeconds } = rule;
  if (retryAfterSeconds !== undefined) {
    const key = wasAccepted ? "a new idempotency key." : `the same idempotency key. ${AFTER_ACCEPTANCE}`;
    return { advice: "yes", text: `After ${waitWords(retryAfterSeconds)}, with ${key}` };
  }
  const key =
    blame === "caller" || wasAccepted
      ? "Then use a new idempotency key."
      : `Then use the same key. ${AFTER_ACCEPTANCE}`;
  return { advice: "no", text: `Retrying won’t help until this is fixed. ${key}` };
}
