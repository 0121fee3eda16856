import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { startServer } from "../../scripts/server-process.mjs";
import { createDatabase, type TestDatabase } from "../support/databases";
import { testServers } from "../support/environment";
import { awayFromWindowEdge } from "../support/limits";
import { startProgram } from "../support/programs";
import { newLogFile } from "../support/run-logs";

/** Its place is fixed, and a developer's own demo may have left one. */
const DEMO_FILE = path.join(DATA_DIRECTORY, "demo.json");

let database: TestDatabase;
let kept: string | undefined;
beforeAll(async () => {
  kept = existsSync(DEMO_FILE) ? readFileSync(DEMO_FILE, "utf8") : undefined;
  rmSync(DEMO_FILE, { force: true });
  database = await createDatabase({ isMigrated: true });
});
afterAll(async () => {
  await database.drop();
  if (kept === undefined) rmSync(DEMO_FILE, { force: true });
  else writeFileSync(DEMO_FILE, kept, { mode: 0o600 });
});
beforeEach(awayFromWindowEdge);

/** Starts the demo where one call in 15 minutes is all that it may take, and gives what it printed. */
const runDemo = async (): Promise<string> => {
  const { PATH, HOME } = process.env;
  const own = { PORT: `${await freePort()}`, DATABASE_URL: database.url, PUBLIC_API_IP_RATE_LIMIT: "1" };
  const demo = startProgram(["scripts/demo.mjs"], { PATH, HOME, ...own });
  await demo.says("Ctrl-C stops everything");
  demo.signal("SIGINT");
  expect(await demo.exited).toBe(0);
  return demo.said.stdout;
};

const callFor = (said: string) => /messages\/(msg_\w+)/.exec(said)?.[1];

test("starts again after its limit is used up, with the same message to ask after", { timeout: 120_000 }, async () => {
  const first = await runDemo();
  const again = await runDemo();
  expect(callFor(first)).toBeDefined();
  expect(callFor(again)).toBe(callFor(first));
  expect(again).toContain("The first message was refused (429)");
  // Its messages are gone in time, and it still starts.
  await database.sql`delete from messages`;
  const last = await runDemo();
  expect(callFor(last)).toBeUndefined();
  expect(last).toContain("List the approved templates");
});

/** A tree whose server is built, and nothing else. */
const serverOnly = (): string => {
  const tree = mkdtempSync(path.join(os.tmpdir(), "switchboard-tree-"));
  for (const one of [
    "scripts",
    "package.json",
    "public",
    "clients/typescript/src",
    "lib/docs/pages",
    ".next/switchboard",
  ])
    cpSync(one, path.join(tree, one), { recursive: true });
  symlinkSync(path.resolve("node_modules"), path.join(tree, "node_modules"));
  return tree;
};

test("takes calls before its pages are built, says so on their addresses, and serves them once they are", async () => {
  const directory = serverOnly();
  const port = await freePort();
  const environment = { PATH: process.env.PATH, ...testServers().environment, PORT: `${port}` };
  const server = await startServer({ environment, logFile: newLogFile("server"), directory, waitsForPages: false });
  try {
    const get = (address: string) => fetch(`http://127.0.0.1:${port}${address}`, { headers: { accept: "text/html" } });
    expect((await get("/api/v1/public/templates")).status).toBe(401);
    const early = await get("/sign-in");
    expect([early.status, await early.text()]).toEqual([503, expect.stringContaining("built first")]);
    const isLast = (file: string) => path.basename(file) === "BUILD_ID";
    cpSync(".next", path.join(directory, ".next"), { recursive: true, filter: (file) => !isLast(file) });
    cpSync(".next/BUILD_ID", path.join(directory, ".next/BUILD_ID"));
    await expect.poll(async () => (await get("/sign-in")).status).toBe(200);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
