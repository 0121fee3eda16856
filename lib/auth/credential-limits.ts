// Pages in the browser import these, so nothing here needs a server or a validator.

/** How long a sign-in counts as recent, for people who have no password to ask for. */
export const FRESH_SIGN_IN_MINUTES = 10;

/** A stolen cookie is rarely this recent, and cannot be refreshed: only a sign-in restarts the time. */
export function isFreshSignIn(signedInAt: Date, now: Date): boolean {
  return now.getTime() - signedInAt.getTime() < FRESH_SIGN_IN_MINUTES * 60_000;
}

/** How long the link of a password reset works. */
export const RESET_MINUTES = 30;

export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 256;
