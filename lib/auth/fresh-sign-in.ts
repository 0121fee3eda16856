/** How long a sign-in counts as recent, for people who have no password to ask for. */
export const FRESH_SIGN_IN_MINUTES = 10;

/** A stolen cookie is seldom this young, and it cannot be made younger: only a sign-in begins the count. */
export function isFreshSignIn(signedInAt: Date, now: Date): boolean {
  return now.getTime() - signedInAt.getTime() < FRESH_SIGN_IN_MINUTES * 60_000;
}
