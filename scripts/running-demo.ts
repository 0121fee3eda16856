import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DATA_DIRECTORY, localEnvironment } from "./local-environment.mjs";

type Demo = {
  databaseUrl: string;
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  webhook: { appSecret: string };
};

/** Reads what `npm run demo` stored for other commands; undefined if it never ran. */
export function readDemo(): Demo | undefined {
  const demoFile = path.join(DATA_DIRECTORY, "demo.json");
  return existsSync(demoFile) ? JSON.parse(readFileSync(demoFile, "utf8")) : undefined;
}

/** Uses the demo's database and secrets if DATABASE_URL is unset or the demo's. Returns whether it does. */
export function adoptRunningDemo(): boolean {
  const demo = readDemo();
  if (!demo) return false;
  const { databaseUrl, baseUrl } = demo;
  if (process.env.DATABASE_URL && process.env.DATABASE_URL !== databaseUrl) return false;
  const port = Number(new URL(baseUrl).port);
  Object.assign(process.env, localEnvironment({ port, databaseUrl, directory: DATA_DIRECTORY }));
  return true;
}
