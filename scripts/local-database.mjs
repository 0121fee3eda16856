import path from "node:path";
import { tsImport } from "tsx/esm/api";
import { DATA_DIRECTORY } from "./local-environment.mjs";
import { startPostgres } from "./postgres.mjs";

/** Starts the embedded Postgres in `.data/`, or uses DATABASE_URL if set; migrates either one. */
export async function startDatabase() {
  const { url, stop } = process.env.DATABASE_URL
    ? { url: process.env.DATABASE_URL, stop: async () => undefined }
    : await startPostgres({ directory: path.join(DATA_DIRECTORY, "postgres") });
  try {
    const { migrateDatabase } = await tsImport("../db/migrate.ts", import.meta.url);
    await migrateDatabase(url);
  } catch (error) {
    const { sentenceOf } = await tsImport("./failure.ts", import.meta.url);
    throw new Error(`The database could not be prepared. ${sentenceOf(error)}`, { cause: error });
  }
  return { url, stop };
}
