import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DATA_DIRECTORY, localEnvironment } from "./local-environment.mjs";

/** Without DATABASE_URL, or with the demo's own, the demo's database and secrets are meant. Says whether they are. */
export const adoptRunningDemo = (): boolean => {
  const demoFile = path.join(DATA_DIRECTORY, "demo.json");
  if (!existsSync(demoFile)) return false;
  const { databaseUrl, baseUrl } = JSON.parse(readFileSync(demoFile, "utf8"));
  if (process.env.DATABASE_URL && process.env.DATABASE_URL !== databaseUrl) return false;
  const port = Number(new URL(baseUrl).port);
  Object.assign(process.env, localEnvironment({ port, databaseUrl, directory: DATA_DIRECTORY }));
  return true;
};
