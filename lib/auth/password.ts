import { hash, verify } from "@node-rs/argon2";
import { AppError } from "@/lib/core/app-error";
import { Budget } from "@/lib/core/budget";
import { processWide } from "@/lib/core/process-wide";

// The library's default algorithm is Argon2id.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// The hash of a discarded random password, so that checking an unknown user takes the same time.
const UNKNOWN_USER_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$sNrLlpZKtcaPqzY/cmz3UA$JsYI6Y9JSDsBmvi3Sip+mr1T+AnZK/6CrcVLgvPyE3c";

// A hash uses a core and one of libuv's four threads, which file access and DNS look-ups need, too. Pages and routes share them.
const places = processWide("password-places", () => new Budget({ inAll: 2, waiting: 100 }));
const RETRY_AFTER_SECONDS = 5;

const inTurn = <T>(cause: string, work: () => Promise<T>): Promise<T> =>
  places.run(cause, work, {
    waitMs: Number.POSITIVE_INFINITY,
    refusal: () =>
      new AppError(
        "SERVICE_UNAVAILABLE",
        "Too many people are signing in at this moment. Try again in a few seconds.",
        {
          details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
        },
      ),
  });

/** Hashes a password. `cause` is the client's IP address: each address has its own queue. */
export function hashPassword(password: string, cause = ""): Promise<string> {
  return inTurn(cause, () => hash(canonical(password), COST));
}

/** Checks a password. Without a hash (unknown user, or no password) it takes the same time and returns false. */
export async function passwordMatches(
  password: string,
  passwordHash: string | null | undefined,
  cause = "",
): Promise<boolean> {
  const matches = await inTurn(cause, () => verify(passwordHash ?? UNKNOWN_USER_HASH, canonical(password)));
  return matches && Boolean(passwordHash);
}

// NFKC unifies different encodings of the same letter.
const canonical = (password: string) => password.normalize("NFKC");
