import { type AppError, invalid, refusedByPlatform } from "@/lib/core/app-error";
import { type Finding, failed } from "@/lib/core/finding";
import { failureSentence, type GraphFailure } from "@/lib/whatsapp/errors";

/** The result of one check, worded for an owner. `platform` is WhatsApp's own text, verbatim. */
export type Check = Finding & {
  platform?: string;
  /** WhatsApp could not be reached, so the check has no result. */
  isUnreached?: true;
};

/** Receives each check as it finishes. What it throws ends the checks. */
export type Report = (check: Check) => void;

/** A check that failed because WhatsApp refused it, was unreachable, or sent an unusable response. */
export function failedAtPlatform(name: string, failure: GraphFailure, words: string, advice: string): Check {
  const said = failureSentence(failure).replace(/\.$/, "");
  switch (failure.kind) {
    case "refused":
      return { ...failed(name, words, advice), platform: failure.reason };
    case "unreachable":
      return { ...failed(name, said, UNREACHED_ADVICE), isUnreached: true };
    case "unusable":
    case "own":
      return failed(name, `${words}. ${said}`, advice);
  }
}

const UNREACHED_ADVICE =
  "Neither the token nor the account was checked. Check this server’s network, DNS and proxy (`npm run doctor`), then try again.";

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
