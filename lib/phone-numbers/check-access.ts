import { databaseTime } from "@/db/raw-sql";
import { invalid } from "@/lib/core/app-error";
import { failed, passed, warned } from "@/lib/core/finding";
import { inspectToken, isTokenRefusal, type TokenFacts } from "@/lib/whatsapp/access-token";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { GraphFailure } from "@/lib/whatsapp/errors";
import {
  listSubscribedApps,
  listWhatsappPhoneNumbers,
  readBusinessAccount,
  type WhatsappPhoneNumber,
} from "@/lib/whatsapp/phone-numbers";
import { type Check, checkFailure, failedAtPlatform, type Report } from "./check";
import { callbackUrl } from "./check-webhook";
import { daysWords } from "./health";

const HOUR_MS = 60 * 60 * 1_000;
const NEEDED_SCOPES = ["whatsapp_business_management", "whatsapp_business_messaging"];
const LASTING_TOKEN = "Create a system user token that never expires (Business settings → System users), and paste it.";
export const NEEDS_MANAGEMENT = "The token needs the right whatsapp_business_management on this account.";

/** The results of a line's access checks. */
type AccessFacts = {
  token: TokenFacts | null;
  /** Why WhatsApp refuses the token; null if it accepts it or could not be reached. */
  tokenProblem: string | null;
  canAccessAccount: boolean;
  /** WhatsApp did not respond, so further calls would fail, too. */
  isWhatsappUnreachable: boolean;
};

/** Token, expiry, scopes and account, in this order; stops after the first that makes the rest pointless. */
export async function checkAccess(line: WhatsappLine, report: Report): Promise<AccessFacts> {
  const inspection = await inspectToken(line);
  if (inspection.outcome === "failed" && isTokenRefusal(inspection)) {
    report(refusedToken(inspection));
    return { ...NOTHING_KNOWN, tokenProblem: inspection.reason };
  }
  if (inspection.outcome === "failed" && inspection.kind === "unreachable") {
    report(failedAtPlatform("token", inspection, "The token could not be checked", LASTING_TOKEN));
    return { ...NOTHING_KNOWN, isWhatsappUnreachable: true };
  }
  const token = inspection.outcome === "ok" ? inspection.token : null;
  report(inspection.outcome === "ok" ? passed("token", "WhatsApp accepts the token") : unanswered(inspection));
  if (token) checkToken(token, report);

  const account = await readBusinessAccount(line);
  if (account.outcome === "ok") {
    report(passed("account", `The business account ${account.answer ? `“${account.answer}” ` : ""}can be reached`));
    return { ...NOTHING_KNOWN, token, canAccessAccount: true };
  }
  if (isTokenRefusal(account)) {
    report(refusedToken(account));
    return { ...NOTHING_KNOWN, tokenProblem: account.reason };
  }
  const advice =
    "Compare the account’s id with the one in WhatsApp Manager, and give the token’s system user this account as an asset.";
  report(failedAtPlatform("account", account, "This token cannot access the business account", advice));
  return { ...NOTHING_KNOWN, token, isWhatsappUnreachable: account.kind === "unreachable" };
}

const NOTHING_KNOWN: AccessFacts = {
  token: null,
  tokenProblem: null,
  canAccessAccount: false,
  isWhatsappUnreachable: false,
};

/** Lists the account's numbers, one of which becomes the line. */
export async function checkNumbers(line: WhatsappLine, report: Report): Promise<WhatsappPhoneNumber[]> {
  const list = await listWhatsappPhoneNumbers(line);
  if (list.outcome === "failed") {
    report(failedAtPlatform("numbers", list, "The account’s numbers could not be read", NEEDS_MANAGEMENT));
    return [];
  }
  const { length } = list.answer;
  if (length === 0) {
    const advice = "Add a number to the account in WhatsApp Manager, then check again.";
    report(failed("numbers", "The account has no number", advice));
  } else report(passed("numbers", `The account has ${length === 1 ? "one number" : `${length} numbers`}`));
  return list.answer;
}

/**
 * Returns whether the app is subscribed to the account's webhooks; undefined if unknown. A webhook override that points
 * elsewhere is only a warning.
 */
export async function checkSubscription(
  line: WhatsappLine,
  token: TokenFacts | null,
  report: Report,
): Promise<boolean | undefined> {
  const list = await listSubscribedApps(line);
  if (list.outcome === "failed") {
    report(failedAtPlatform("subscription", list, "The account’s subscriptions could not be read", NEEDS_MANAGEMENT));
    return undefined;
  }
  const own = token?.whatsappAppId
    ? list.answer.find(({ whatsappAppId }) => whatsappAppId === token.whatsappAppId)
    : list.answer[0];
  if (!own) {
    const words = "The app is not subscribed to the business account, so no delivery or read statuses arrive";
    report(warned("subscription", words, "Subscribe it with one click; connecting a line does so, too."));
    return false;
  }
  if (own.overriddenBy !== null && own.overriddenBy !== callbackUrl()) {
    const words = `The account sends its webhooks to ${hostOf(own.overriddenBy)} instead of here`;
    const advice = "Remove this account’s webhook override at WhatsApp, or point it to this deployment.";
    report(warned("subscription", words, advice));
  } else report(passed("subscription", "The app is subscribed to the business account"));
  return true;
}

const refusedToken = (failure: GraphFailure): Check =>
  failedAtPlatform("token", failure, "WhatsApp refuses the token", LASTING_TOKEN);

/** Many tokens may not inspect themselves; the next checks show whether they work. */
const unanswered = ({ kind, reason }: GraphFailure): Check => ({
  ...warned(
    "token",
    "WhatsApp does not say when this token expires or what it may do",
    "The next checks show whether it works today.",
  ),
  ...(kind === "refused" ? { platform: reason } : {}),
});

function checkToken({ expiry, scopes }: TokenFacts, report: Report): void {
  if (expiry === "never") report(passed("expiry", "The token never expires"));
  else if (expiry) report(checkExpiry(expiry.at));
  const missing = scopes && NEEDED_SCOPES.filter((scope) => !scopes.includes(scope));
  const advice = "Create a token with both, whatsapp_business_management and whatsapp_business_messaging.";
  if (missing?.length === 0) report(passed("scopes", "The token may send messages and manage the account"));
  else if (missing) report(failed("scopes", `The token lacks ${missing.join(" and ")}`, advice));
}

function checkExpiry(at: Date): Check {
  const leftMs = at.getTime() - Date.now();
  const left = leftMs < HOUR_MS ? "within the hour" : `in ${daysWords(leftMs)}`;
  if (leftMs < 25 * HOUR_MS) return warned("expiry", `The token expires ${left}: it is temporary`, LASTING_TOKEN);
  const advice = "Replace it before then; a system user token can be created without expiry.";
  return warned("expiry", `The token expires ${left}`, advice);
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : "another address");

/**
 * Runs the checks that pages show one by one, before storing. Throws the first failure, by field. `tokenExpiresAt` is null
 * also where WhatsApp does not say. `tokenCheckedAt` is when the checks began.
 */
export async function verifyAccess(line: WhatsappLine) {
  const report = (check: Check) => {
    const isOfAccount = check.name === "account" || check.name === "numbers";
    if (check.state === "failed") throw checkFailure(check, isOfAccount ? "whatsappBusinessAccountId" : "accessToken");
  };
  const tokenCheckedAt = await databaseTime();
  const { token } = await checkAccess(line, report);
  const numbers = await checkNumbers(line, report);
  const number = numbers.find(({ whatsappPhoneNumberId }) => whatsappPhoneNumberId === line.whatsappPhoneNumberId);
  if (!number) {
    const message = "This number is not one of the business account. Check again and pick one of the list.";
    throw invalid([{ path: "whatsappPhoneNumberId", message }]);
  }
  const isSubscribed = await checkSubscription(line, token, report);
  const tokenExpiresAt = token?.expiry && token.expiry !== "never" ? token.expiry.at : null;
  return { number, tokenCheckedAt, tokenExpiresAt, isSubscribed: isSubscribed === true };
}
