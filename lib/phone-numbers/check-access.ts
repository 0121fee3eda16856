import { invalid } from "@/lib/core/app-error";
import { inspectToken, isTokenRefusal, type TokenFacts } from "@/lib/whatsapp/access-token";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { GraphFailure } from "@/lib/whatsapp/graph-failure";
import { listWhatsappPhoneNumbers, readBusinessAccount, type WhatsappPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import { listSubscribedApps } from "@/lib/whatsapp/subscribed-apps";
import { type Check, checkFailure, failedAtPlatform, passed } from "./check";
import { callbackUrl } from "./check-webhook";

const DAY_MS = 24 * 60 * 60 * 1_000;
const NEEDED_SCOPES = ["whatsapp_business_management", "whatsapp_business_messaging"];
const LASTING_TOKEN = "Create a system user token that never expires (Business settings → System users), and paste it.";

/** The results of a line's access checks. */
export type AccessFacts = {
  token: TokenFacts | null;
  /** Why WhatsApp refuses the token; null if it accepts it or could not be reached. */
  tokenProblem: string | null;
  isReachable: boolean;
  /** WhatsApp did not respond, so further calls would fail, too. */
  isUnreached: boolean;
};

/** Token, expiry, scopes and account, in this order; stops after the first that makes the rest pointless. */
export async function* checkAccess(line: WhatsappLine, now = new Date()): AsyncGenerator<Check, AccessFacts> {
  const inspection = await inspectToken(line);
  if (inspection.outcome === "failed" && isTokenRefusal(inspection)) {
    yield refusedToken(inspection);
    return { ...NOTHING_KNOWN, tokenProblem: inspection.reason };
  }
  if (inspection.outcome === "failed" && inspection.kind === "unreachable") {
    yield failedAtPlatform("token", inspection, { words: "The token could not be checked", advice: LASTING_TOKEN });
    return { ...NOTHING_KNOWN, isUnreached: true };
  }
  const token = inspection.outcome === "ok" ? inspection.token : null;
  if (inspection.outcome === "ok") yield passed("token", "WhatsApp accepts the token");
  else yield unanswered(inspection);
  if (token) yield* checkToken(token, now);

  const account = await readBusinessAccount(line);
  if (account.outcome === "ok") {
    yield passed("account", `The business account ${account.name ? `“${account.name}” ` : ""}can be reached`);
    return { ...NOTHING_KNOWN, token, isReachable: true };
  }
  if (isTokenRefusal(account)) {
    yield refusedToken(account);
    return { ...NOTHING_KNOWN, tokenProblem: account.reason };
  }
  yield failedAtPlatform("account", account, {
    words: "This token cannot access the business account",
    advice:
      "Compare the account’s id with the one in WhatsApp Manager, and give the token’s system user this account as an asset.",
  });
  return { ...NOTHING_KNOWN, token, isUnreached: account.kind === "unreachable" };
}

const NOTHING_KNOWN: AccessFacts = { token: null, tokenProblem: null, isReachable: false, isUnreached: false };

/** Lists the account's numbers, one of which becomes the line. */
export async function* checkNumbers(line: WhatsappLine): AsyncGenerator<Check, WhatsappPhoneNumber[]> {
  const list = await listWhatsappPhoneNumbers(line);
  if (list.outcome === "failed") {
    yield failedAtPlatform("numbers", list, {
      words: "The account’s numbers could not be read",
      advice: "The token needs the right whatsapp_business_management on this account.",
    });
    return [];
  }
  const { numbers } = list;
  if (numbers.length === 0) {
    const words = "The account has no number";
    const advice = "Add a number to the account in WhatsApp Manager, then check again.";
    yield { name: "numbers", state: "failed", words, advice };
    return [];
  }
  yield passed(
    "numbers",
    numbers.length === 1 ? "The account has one number" : `The account has ${numbers.length} numbers`,
  );
  return numbers;
}

/** Checks whether the account's webhooks go to the token's app, and so to this deployment; undefined if unknown. */
export async function* checkSubscription(
  line: WhatsappLine,
  { token, callbackUrl }: { token: TokenFacts | null; callbackUrl: string },
): AsyncGenerator<Check, boolean | undefined> {
  const list = await listSubscribedApps(line);
  if (list.outcome === "failed") {
    yield failedAtPlatform("subscription", list, {
      words: "The account’s subscriptions could not be read",
      advice: "The token needs the right whatsapp_business_management on this account.",
    });
    return undefined;
  }
  const own = token?.whatsappAppId
    ? list.apps.find(({ whatsappAppId }) => whatsappAppId === token.whatsappAppId)
    : list.apps[0];
  if (!own) {
    const words = "The app is not subscribed to the business account, so no delivery or read statuses arrive";
    yield {
      name: "subscription",
      state: "warning",
      words,
      advice: "Subscribe it with one click; connecting a line does so, too.",
    };
    return false;
  }
  if (own.overriddenBy !== null && own.overriddenBy !== callbackUrl) {
    const words = `The account sends its webhooks to ${hostOf(own.overriddenBy)} instead of here`;
    const advice = "Remove this account’s webhook override at WhatsApp, or point it to this deployment.";
    yield { name: "subscription", state: "warning", words, advice };
    return true;
  }
  yield passed("subscription", "The app is subscribed to the business account");
  return true;
}

const refusedToken = (failure: GraphFailure): Check =>
  failedAtPlatform("token", failure, { words: "WhatsApp refuses the token", advice: LASTING_TOKEN });

/** Many tokens may not inspect themselves; the next checks show whether they work. */
const unanswered = ({ kind, reason }: GraphFailure): Check => ({
  name: "token",
  state: "warning",
  words: "WhatsApp does not say when this token expires or what it may do",
  advice: "The next checks show whether it works today.",
  ...(kind === "refused" ? { platform: reason } : {}),
});

function* checkToken({ expiry, scopes }: TokenFacts, now: Date): Generator<Check> {
  if (expiry === "never") yield passed("expiry", "The token never expires");
  else if (expiry) yield checkExpiry(expiry.at, now);
  const missing = scopes && NEEDED_SCOPES.filter((scope) => !scopes.includes(scope));
  if (!missing) return;
  if (missing.length === 0) return yield passed("scopes", "The token may send messages and manage the account");
  const words = `The token lacks ${missing.join(" and ")}`;
  const advice = "Create a token with both, whatsapp_business_management and whatsapp_business_messaging.";
  yield { name: "scopes", state: "failed", words, advice };
}

const checkExpiry = (at: Date, now: Date): Check => {
  const hours = Math.floor((at.getTime() - now.getTime()) / (DAY_MS / 24));
  if (hours < 25) {
    const words = `The token expires ${hours < 1 ? "within the hour" : `in ${hours} hours`}: it is temporary`;
    return { name: "expiry", state: "warning", words, advice: LASTING_TOKEN };
  }
  const days = Math.round(hours / 24);
  const advice = "Replace it before then; a system user token can be created without expiry.";
  return { name: "expiry", state: "warning", words: `The token expires in ${days} days`, advice };
};

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : "another address");

export type VerifiedAccess = { number: WhatsappPhoneNumber; token: TokenFacts | null; isSubscribed: boolean };

/** Runs the checks that pages show one by one, before storing. Throws the first failure, by field. */
export async function verifyAccess(line: WhatsappLine): Promise<VerifiedAccess> {
  const access = await untilFailure<AccessFacts>(checkAccess(line));
  const numbers = await untilFailure<WhatsappPhoneNumber[]>(checkNumbers(line));
  const number = numbers.find(({ whatsappPhoneNumberId }) => whatsappPhoneNumberId === line.whatsappPhoneNumberId);
  if (!number) {
    const message = "This number is not one of the business account. Check again and pick one of the list.";
    throw invalid([{ path: "whatsappPhoneNumberId", message }]);
  }
  const isSubscribed = await untilFailure(checkSubscription(line, { token: access.token, callbackUrl: callbackUrl() }));
  return { number, token: access.token, isSubscribed: isSubscribed === true };
}

const FIELDS: Partial<Record<Check["name"], string>> = {
  account: "whatsappBusinessAccountId",
  numbers: "whatsappBusinessAccountId",
};

const untilFailure = async <Facts>(checks: AsyncGenerator<Check, Facts>): Promise<Facts> => {
  for (;;) {
    const step = await checks.next();
    if (step.done) return step.value;
    if (step.value.state !== "failed") continue;
    throw checkFailure(step.value, FIELDS[step.value.name] ?? "accessToken");
  }
};
