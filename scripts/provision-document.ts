import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { env } from "@/lib/core/env";
import type { ProvisionDocument } from "@/lib/operations/document";
import { type ProvisionedWorkspace, provisionWorkspaces } from "@/lib/operations/provision-workspaces";

const CONNECT_TIMEOUT_SECONDS = 10;

export class OldSchemaError extends Error {
  override readonly message = OLD_SCHEMA;
}

/** Provisions a checked document into the environment's database, over a connection of its own. */
export async function provisionDocument(document: ProvisionDocument): Promise<{ workspaces: ProvisionedWorkspace[] }> {
  const sql = postgres(env().DATABASE_URL, {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    onnotice: () => undefined,
  });
  try {
    if (!(await isSchemaCurrent(sql))) throw new OldSchemaError();
    return await provisionWorkspaces(document, drizzle(sql, { casing: "snake_case" }));
  } finally {
    await sql.end({ timeout: 5 });
  }
}
