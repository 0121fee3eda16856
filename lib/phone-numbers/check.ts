import { type AppError, invalid, refusedByPlatform } from "@/lib/core/app-error";
import { failureSentence, type GraphFailure } from "@/lib/whatsapp/graph-failure";

/** The result of one check, worded for an owner. `platform` is WhatsApp's own text, verbatim. */
export type Check = {
  name: CheckName;
  state: "passed" | "warning" | "failed";
  words: string;
  /** What to do about it. */
  advice?: string;
  platform?: string;
  /** WhatsApp could not be reached, so the check has no result. */
  isUnreached?: true;
};

export type CheckName =
  | "token"
  | "expiry"
  | "scopes"
  | "account"
  | "numbers"
  | "number"
  | "subscription"
  | "callback"
  | "reachability";

export function passed(name: CheckName, words: string): Check {
  return { name, state: "passed", words };
}

/** A check that failed because WhatsApp refused it, was unreachable, or sent an unusable response. */
export function failedAtPlatform(
  name: CheckName,
  failure: GraphFailure,
  { words, advice }: { words: string; advice: string },
): Check {
  const failed = { name, state: "failed", words, advice } as const;
  switch (failure.kind) {
    case "refused":
      return { ...failed, platform: failure.reason };
    case "unreachable":
      return { ...failed, words: withoutStop(failureSentence(failure)), advice: UNREACHED_ADVICE, isUnreached: true };
    case "unusable":
    case "own":
      return { ...failed, words: `${words}. ${withoutStop(failureSentence(failure))}` };
    default:
      return failure satisfies never;
  }
}

const UNREACHED_ADVICE =
  "Neither the token nor the account was checked. Check this server’s network, DNS and proxy (`npm run doctor`), then try again.";

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, "");

/** The error for a failed check: on `field`, or without a field if WhatsApp was unreachable. */
export function checkFailure(check: Check, field: string): AppError {
  return check.isUnreached
    ? refusedByPlatform("platform", `${checkAsText(check)} Nothing was stored.`, { retryable: true })
    : invalid([{ path: field, message: checkAsText(check) }]);
}

/** Formats a check as sentences for an error message. */
const checkAsText = ({ words, platform, advice }: Check): string =>
  [words, platform && `WhatsApp said: ${platform}`, advice]
    .filter((part) => part !== undefined)
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(" ");
