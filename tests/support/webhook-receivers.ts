import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { type Env, examplesOf, newFolder, packClient, refusalOfStrangers, run } from "./client-package";
import { createDatabase } from "./databases";
import { startAny } from "./run-to-end";
import { deliveryOf, WEBHOOK_SECRET } from "./webhook-vectors";

const EXAMPLES = (["ts", "python", "sql"] as const).map((language) =>
  examplesOf(readFileSync("lib/docs/pages/webhooks.md", "utf8"), language).map((one) => ({ ...one, language })),
);

/** What the docs show of receivers, under its heading. */
export const shownReceiver = (heading: string, language: "ts" | "python" | "sql"): string => {
  const found = EXAMPLES.flat().find((one) => one.title === heading && one.language === language);
  if (!found) throw new Error(`no ${language} under ${heading}`);
  return found.code;
};

const PACKAGES = ["@types", "@hono", "express", "hono", "next", "postgres", "react", "react-dom", "typescript"];

/** A folder with the client, the receiver in TypeScript and the part of each framework, as a reader pastes them. */
export const receiverProject = async (): Promise<string> => {
  const folder = newFolder();
  await run(folder, ["npm", "install", "--silent", "--offline", packClient()]);
  for (const name of PACKAGES) symlinkSync(path.resolve("node_modules", name), path.join(folder, "node_modules", name));
  mkdirSync(path.join(folder, "app/webhooks"), { recursive: true });
  const files = {
    "A receiver": "receive.ts",
    Express: "express.ts",
    Hono: "hono.ts",
    "Next.js": "app/webhooks/route.ts",
  };
  for (const [heading, file] of Object.entries(files)) {
    writeFileSync(path.join(folder, file), shownReceiver(heading, "ts"));
  }
  return folder;
};

/** The tables that the docs show, in a database of their own. */
export const receiverDatabase = async (): Promise<Tables & { url: string }> => {
  const { url, sql, drop } = await createDatabase({ isMigrated: false });
  onTestFinished(drop);
  await sql.unsafe(shownReceiver("A receiver", "sql"));
  const rows = async (statement: string) => (await sql.unsafe(statement)).map((row) => ({ ...row }));
  return { url, run: rows, rows };
};

/** Starts a receiver that listens on `PORT`; `words` may depend on it. Resolves with its address once it responds. */
export const startShownReceiver = async (words: (port: number) => string[], cwd: string, env: Env): Promise<string> => {
  const port = await freePort();
  const child = startAny(words(port), { cwd, env: { PORT: `${port}`, WEBHOOK_SECRET, ...env } });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (text) => {
      printed += text;
    });
  }
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}/webhooks`;
  await vi
    .waitFor(() => fetch(url, { method: "POST" }), { timeout: 60_000, interval: 200 })
    .catch(() => {
      throw new Error(`the receiver does not respond:\n${printed}`);
    });
  return url;
};

/** Its tables: `run` changes them, `rows` reads one. */
export type Tables = {
  run: (statement: string) => Promise<unknown>;
  rows: (statement: string) => Promise<Record<string, unknown>[]>;
};

/** What every receiver of the docs guarantees. */
export const expectReceiver = async (url: string, { run: change, rows }: Tables): Promise<void> => {
  const event = (sequence: number, status: string) => ({
    type: `message.${status.toLowerCase()}`,
    timestamp: "2026-11-24T12:00:00.000Z",
    sequence,
    data: { id: "msg_1", status, failureReason: "Zoë’s phone ✓" },
  });
  const post = async ({ body, headers }: { body: string; headers: Record<string, string> }) =>
    (await fetch(url, { method: "POST", body, headers })).status;
  const statuses = () => rows("select id, status, sequence from statuses");
  const received = async () => (await rows("select id from received_webhooks order by id")).map(({ id }) => id);

  // Several at once are stored once, and a later one that arrives first stays.
  const sent = deliveryOf("evt_2", event(2, "DELIVERED"));
  expect(await Promise.all([post(sent), post(sent), post(sent)])).toEqual([204, 204, 204]);
  expect(await post(deliveryOf("evt_1", event(1, "SENT")))).toBe(204);
  expect(await statuses()).toEqual([{ id: "msg_1", status: "DELIVERED", sequence: 2 }]);
  expect(await received()).toEqual(["evt_1", "evt_2"]);

  // A delivery is stored together with its effect, or not at all.
  const read = deliveryOf("evt_3", event(3, "READ"));
  await change("alter table statuses rename to away");
  expect(await post(read)).toBe(500);
  await change("alter table away rename to statuses");
  expect(await received()).toEqual(["evt_1", "evt_2"]);
  expect(await post(read)).toBe(204);
  expect(await statuses()).toEqual([{ id: "msg_1", status: "READ", sequence: 3 }]);

  // What it does not know is accepted, and what is not signed is refused.
  const unknown = { type: "number.moved", timestamp: "2026-11-24T12:00:00.000Z", sequence: 1, data: { message: "?" } };
  expect(await post(deliveryOf("evt_4", unknown))).toBe(204);
  const valid = deliveryOf("evt_5", event(4, "FAILED"));
  expect(await post({ ...valid, body: `${valid.body} ` })).toBe(401);
  expect(await post({ ...valid, headers: { "content-type": "application/json" } })).toBe(401);
  expect(await refusalOfStrangers(url)).toBe(401);
  expect(await received()).toEqual(["evt_1", "evt_2", "evt_3", "evt_4"]);
  expect(await statuses()).toEqual([{ id: "msg_1", status: "READ", sequence: 3 }]);
};

/** The tables of the receiver in Python. */
export const sqliteTables = (cwd: string): Tables => {
  const program = `import json, sqlite3, sys
database = sqlite3.connect("webhooks.db")
database.row_factory = sqlite3.Row
with database: print(json.dumps([dict(row) for row in database.execute(sys.argv[1])]))`;
  const rows = async (statement: string) => JSON.parse(await run(cwd, ["python3", "-c", program, statement]));
  return { run: rows, rows };
};
