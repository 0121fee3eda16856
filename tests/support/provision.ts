import { randomBytes } from "node:crypto";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "@/db/schema";
import { hashPassword, passwordMatches } from "@/lib/auth/password";
import { encryptionKeys } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import type { ProvisionDocument } from "@/lib/operations/document";
import { type ProvisionedWorkspace, provisionWorkspaces } from "@/lib/operations/provision-workspaces";

/** Of every person whom this process makes. */
export const PASSWORD = `a long sentence ${randomBytes(6).toString("hex")}`;

let passwordHash: Promise<string> | undefined;

/**
 * What the command does with a checked document. A hash is dear on purpose and runs are one at a time, so the one
 * password is hashed once, and before the run.
 */
export const provision = async (document: ProvisionDocument): Promise<ProvisionedWorkspace[]> => {
  const { DATABASE_URL, DEFAULT_PLAN, KEY_PEPPER } = env();
  passwordHash ??= hashPassword(PASSWORD);
  const known = await passwordHash;
  // A connection of its own outlives no restart of a database that a test takes away.
  const sql = postgres(DATABASE_URL, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    const { workspaces } = await provisionWorkspaces(document, {
      db: drizzle(sql, { schema, casing: "snake_case" }),
      defaultPlan: DEFAULT_PLAN,
      keyPepper: KEY_PEPPER,
      encryptionKeys: encryptionKeys(),
      hashPassword: async (password) => (password === PASSWORD ? known : hashPassword(password)),
      passwordMatches,
    });
    return workspaces;
  } finally {
    await sql.end({ timeout: 5 });
  }
};
