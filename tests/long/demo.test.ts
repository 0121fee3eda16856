import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { createDatabase, type TestDatabase } from "../support/databases";
import { awayFromWindowEdge } from "../support/limits";
import { startProgram } from "../support/programs";

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
