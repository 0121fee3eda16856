import { hash, verify } from "@node-rs/argon2";
import { inTurns } from "./turns";

// Argon2id is the library's own choice of algorithm.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// The hash of a random password that nobody kept: checking against it costs as much as checking a real one.
const UNKNOWN_USER_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$sNrLlpZKtcaPqzY/cmz3UA$JsYI6Y9JSDsBmvi3Sip+mr1T+AnZK/6CrcVLgvPyE3c";

export const hashPassword = (password: string): Promise<string> => hash(canonical(password), COST);

// A check takes a core and a thread that name look-ups need, too: a flood of them must leave some to the API.
const checkInTurn = inTurns({ atOnce: 2, maxWaiting: 100 });

/** Without a hash (no such user, or one without a password) it takes the same time and is false. */
export const passwordMatches = async (password: string, passwordHash: string | null | undefined): Promise<boolean> => {
  const matches = await checkInTurn(() => verify(passwordHash ?? UNKNOWN_USER_HASH, canonical(password)));
  return matches && Boolean(passwordHash);
};

// Keyboards write the same letter in different ways; NFKC makes them one.
const canonical = (password: string) => password.normalize("NFKC");
