import { type AppError, invalid, refusedByPlatform } from "@/lib/core/app-error";
import { failureSentence, type GraphFailure } from "@/lib/whatsapp/graph-failure";

/** One thing that was looked at, in words for an owner. `platform` is what WhatsApp said, to the letter. */
export type Check = {
  name: CheckName;
  state: "passed" | "warning" | "failed";
  words: string;
  /** What to do about it. */
  advice?: string;
  platform?: string;
  /** WhatsApp could not be reached, so the check says nothing about what was to be looked at. */
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

/** What did not pass because WhatsApp refused it, could not be reached, or gave an answer that is of no use. */
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
  "This says nothing about the token or the account. Check this server’s network, DNS and proxy (`npm run doctor`), then try again.";

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, "");

/** The error of a step that stops at a failed check: of the field at fault, or of none where WhatsApp was not reached. */
export function checkFailure(check: Check, field: string): AppError {
  return check.isUnreached
    ? refusedByPlatform("platform", `${checkAsText(check)} Nothing was stored.`, { retryable: true })
    : invalid([{ path: field, message: checkAsText(check) }]);
}

/** The words of a check as sentences of an error message. */
const checkAsText = ({ words, platform, advice }: Check): string =>
  [words, platform && `WhatsApp said: ${platform}`, advice]
    .filter((part) => part !== undefined)
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(" ");
