import { randomBytes } from "node:crypto";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "@/db/schema";
import { hashPassword } from "@/lib/auth/password";
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
  passwordHash ??= hashPassword(PASSWORD);
  const known = await passwordHash;
  // A connection of its own outlives no restart of a database that a test takes away.
  const sql = postgres(env().DATABASE_URL, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    const db = drizzle(sql, { schema, casing: "snake_case" });
    const { workspaces } = await provisionWorkspaces(document, db, async (password) =>
      password === PASSWORD ? known : hashPassword(password),
    );
    return workspaces;
  } finally {
    await sql.end({ timeout: 5 });
  }
};
