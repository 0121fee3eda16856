import { hash, verify } from "@node-rs/argon2";
import { AppError } from "@/lib/core/app-error";
import { Budget } from "@/lib/core/budget";
import { processWide } from "@/lib/core/process-wide";

// Argon2id is the library's own choice of algorithm.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// The hash of a random password that was not stored: checking against it costs as much as checking a real one.
const UNKNOWN_USER_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$sNrLlpZKtcaPqzY/cmz3UA$JsYI6Y9JSDsBmvi3Sip+mr1T+AnZK/6CrcVLgvPyE3c";

// A hash takes a core and one of libuv's four threads, which files and WhatsApp's host name need, too.
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

/** `cause` is the client address behind it: those of one address wait in a line of their own. */
export function hashPassword(password: string, cause = ""): Promise<string> {
  return inTurn(cause, () => hash(canonical(password), COST));
}

/** Without a hash (no such user, or one without a password) it takes the same time and is false. */
export async function passwordMatches(
  password: string,
  passwordHash: string | null | undefined,
  cause = "",
): Promise<boolean> {
  const matches = await inTurn(cause, () => verify(passwordHash ?? UNKNOWN_USER_HASH, canonical(password)));
  return matches && Boolean(passwordHash);
}

// Keyboards write the same letter in different ways; NFKC makes them one.
const canonical = (password: string) => password.normalize("NFKC");
