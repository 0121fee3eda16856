import { hash } from "@node-rs/argon2";
import { onRows } from "./rows";
import type { Sign } from "./workspace";

/** Keeps a person's password, but makes its check take long, so that something can happen meanwhile. */
export const slowDownPassword = async ({ email, password }: Sign): Promise<void> => {
  const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 60, parallelism: 1 });
  await onRows((sql) => sql`update users set password_hash = ${passwordHash} where email = ${email}`);
};
