import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DATA_DIRECTORY, localEnvironment } from "./local-environment.mjs";

type Demo = { databaseUrl: string; baseUrl: string; apiKey: string; apiSecret: string };

/** What `npm run demo` has left for other commands; undefined where it never ran. */
export function readDemo(): Demo | undefined {
  const demoFile = path.join(DATA_DIRECTORY, "demo.json");
  return existsSync(demoFile) ? JSON.parse(readFileSync(demoFile, "utf8")) : undefined;
}

/** Without DATABASE_URL, or with the demo's own, the demo's database and secrets are meant. Says whether they are. */
export function adoptRunningDemo(): boolean {
  const demo = readDemo();
  if (!demo) return false;
  const { databaseUrl, baseUrl } = demo;
  if (process.env.DATABASE_URL && process.env.DATABASE_URL !== databaseUrl) return false;
  const port = Number(new URL(baseUrl).port);
  Object.assign(process.env, localEnvironment({ port, databaseUrl, directory: DATA_DIRECTORY }));
  return true;
}
