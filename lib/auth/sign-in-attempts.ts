import { giveBack } from "@/lib/limits/attempts";
import { WINDOW_MS } from "@/lib/limits/policies";
import { accountDigest } from "./account-digest";
import { asAttempt } from "./attempts";

const FAILURES_PER_ACCOUNT = 10;
const FAILURES_PER_ADDRESS = 30;
const FAILURES_PER_KNOWN_BROWSER = 10;

/** `knownBrowser`: what failures are counted by instead of account and address, where it was in this account before. */
type Attempt = { email: string; address: string; knownBrowser: string | undefined };

/**
 * Runs `check` where neither the account nor the client address has used up its failures, and throws 429 otherwise. A
 * success clears the account's failures and gives the address its attempt back. A browser that was in this account before
 * counts by itself: strangers who keep failing must not lock its owner out.
 */
export async function countedAttempt<T>(
  { email, address, knownBrowser }: Attempt,
  check: () => Promise<T | null>,
): Promise<T | null> {
  const addressId = `sign-in:ip:${address}`;
  const windows =
    knownBrowser === undefined
      ? [
          { id: addressId, limit: FAILURES_PER_ADDRESS },
          { id: accountWindow(email), limit: FAILURES_PER_ACCOUNT },
        ]
      : [{ id: `sign-in:browser:${knownBrowser}`, limit: FAILURES_PER_KNOWN_BROWSER }];
  const { result, taken } = await asAttempt({ windows, scope: "signIn", refusal }, check);
  if (result === null) return null;
  const isOfAddress = ({ id }: { id: string }) => id === addressId;
  const others = taken.filter((one) => !isOfAddress(one));
  await Promise.all([giveBack(taken.filter(isOfAddress)), giveBack(others, FAILURES_PER_ACCOUNT)]);
  return result;
}

/** Lets an account sign in again at once, after its password was reset. */
export function forgetFailures(email: string): Promise<void> {
  return giveBack([{ id: accountWindow(email), endsAtMs: performance.now() + WINDOW_MS }], FAILURES_PER_ACCOUNT);
}

const accountWindow = (email: string) => `sign-in:account:${accountDigest(email)}`;

const refusal = (minutes: number) =>
  `Too many attempts to sign in. Try again in ${minutes} min; until then no password is checked.`;
