import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import * as schema from "@/db/schema";
import { hashPassword, passwordMatches } from "@/lib/auth/password";
import { encryptionKeys } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import type { ProvisionDocument } from "@/lib/operations/document";
import { type ProvisionedWorkspace, provisionWorkspaces } from "@/lib/operations/provision-workspaces";

const CONNECT_TIMEOUT_SECONDS = 10;

export class OldSchemaError extends Error {
  override readonly message = OLD_SCHEMA;
}

/** Provisions a checked document into the environment's database, over a connection of its own. */
export async function provisionDocument(document: ProvisionDocument): Promise<{ workspaces: ProvisionedWorkspace[] }> {
  const { DATABASE_URL, DEFAULT_PLAN, KEY_PEPPER } = env();
  const sql = postgres(DATABASE_URL, { max: 1, connect_timeout: CONNECT_TIMEOUT_SECONDS, onnotice: () => undefined });
  try {
    if (!(await isSchemaCurrent(sql))) throw new OldSchemaError();
    return await provisionWorkspaces(document, {
      db: drizzle(sql, { schema, casing: "snake_case" }),
      defaultPlan: DEFAULT_PLAN,
      keyPepper: KEY_PEPPER,
      encryptionKeys: encryptionKeys(),
      hashPassword,
      passwordMatches,
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
