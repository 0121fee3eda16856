import { hash } from "@node-rs/argon2";
import { sql } from "./rows";
import type { Sign } from "./workspace";

const LONG_ENOUGH_MS = 1_500;

/** By password, which is one for every person whom this process makes: each hash costs seconds of a processor. */
const hashes = new Map<string, Promise<string>>();

/** Keeps a person's password, but makes its check take 1.5 s or more, so that something can happen meanwhile. */
export const slowDownPassword = async ({ email, password }: Sign): Promise<void> => {
  const made = hashes.get(password) ?? slowHash(password, 60);
  hashes.set(password, made);
  const passwordHash = await made;
  await sql`update users set password_hash = ${passwordHash} where email = ${email}`;
};

/** A check takes as long as the hash took: how long that is depends on the machine. */
const slowHash = async (password: string, timeCost: number): Promise<string> => {
  const startedAtMs = performance.now();
  const passwordHash = await hash(password, { memoryCost: 19_456, timeCost, parallelism: 1 });
  const tookMs = performance.now() - startedAtMs;
  if (tookMs >= LONG_ENOUGH_MS) return passwordHash;
  return slowHash(password, Math.ceil((timeCost * LONG_ENOUGH_MS * 1.5) / tookMs));
};
