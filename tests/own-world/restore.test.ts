import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Finding } from "@/lib/core/finding";
import { startPostgres } from "../../scripts/postgres.mjs";
import { printed, runCommand } from "../support/commands";
import { startInstance, testServers } from "../support/environment";
import { startOwnPostgres } from "../support/own-database";
import { DOCTOR, RESTORE_GUARD } from "../support/programs";
import { PHONE } from "../support/sends";
import {
  graphError,
  platformRequests,
  postWebhook,
  provisionWorkspace,
  request,
  scriptPlatform,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-restore-"));
// Postgres, which does not run as root, must be able to enter it.
chmodSync(folder, 0o755);
const data = path.join(folder, "restored");

/** Copies a running server's files, as pg_basebackup does, which the embedded Postgres has not. */
const backUp = async (url: string): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const [place] = await sql`show data_directory`;
  await sql`select pg_backup_start('test', true)`;
  const from: string = place?.data_directory;
  cpSync(from, data, { recursive: true, filter: (file) => !/postmaster\.|pg_wal\/./.test(file) });
  const [label] = await sql`select labelfile from pg_backup_stop()`;
  writeFileSync(path.join(data, "backup_label"), label?.labelfile);
  cpSync(path.join(from, "pg_wal"), path.join(data, "pg_wal"), { recursive: true });
  await sql.end();
};

const keysOf = (name: string) => Array.from({ length: 20 }, (_, i) => `${name}-${i}-${randomBytes(4).toString("hex")}`);
const [older, newer] = [keysOf("older"), keysOf("newer")];
const RETRIED = "refused when the backup was made, and sent after it";
const underLoad: string[] = [];

let live: TestWorkspace;
let sandbox: TestWorkspace;
let restored: { url: string; stop: () => Promise<void> };
let server: { stop: () => Promise<void> };

const send = (key: string, workspace = live) =>
  workspace.send({ type: "text", phone: PHONE, content: key }, { "Idempotency-Key": key });
const sendAll = async (keys: readonly string[]) => {
  const answers = await Promise.all(keys.map((key) => send(key)));
  return answers.map(({ status }) => status);
};
const timesSent = async (keys: readonly string[]) => {
  const bodies = (await platformRequests(live.whatsappPhoneNumberId, "messages")).map(({ body }) => body);
  return keys.map((key) => bodies.filter((body) => body.includes(key)).length);
};
const each = (count: number, value: number) => Array.from({ length: count }, () => value);
const guard = (word: string) => runCommand(RESTORE_GUARD, [word], { DATABASE_URL: restored.url }).then(printed);

beforeAll(async () => {
  const own = await startOwnPostgres({}, "API");
  [live, sandbox] = [await provisionWorkspace(), await provisionWorkspace({ mode: "test" })];
  expect(await sendAll(older)).toEqual(each(20, 201));
  const passing = graphError(999_001, "Try again", { is_transient: true });
  await scriptPlatform(live.whatsappPhoneNumberId, "messages", [passing]);
  expect((await send(RETRIED)).body.details.retryable).toBe(true);

  let isOver = false;
  const load = (async () => {
    while (!isOver) {
      const key = `during-${randomBytes(6).toString("hex")}`;
      expect((await send(key)).status).toBe(201);
      underLoad.push(key);
    }
  })();
  await backUp(own.databaseUrl);
  expect(await sendAll(newer)).toEqual(each(20, 201));
  expect((await send(RETRIED)).status).toBe(201);
  isOver = true;
  await load;
  await own.stop();

  restored = await startPostgres({ directory: data });
  expect(await guard("on")).toMatchObject({ guard: "on", lostSendsSeen: [] });
  const { environment } = testServers();
  const overrides = { ...environment, DATABASE_URL: restored.url };
  server = await startInstance({ ...overrides, PORT: new URL(own.baseUrl).port, APP_URL: own.baseUrl }, "API");
});
afterAll(async () => {
  await server?.stop();
  await restored?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("after a restore, what was sent since the backup is refused with a 503 that says why, and nothing is sent twice", async () => {
  expect(await sendAll(older)).toEqual(each(20, 200));
  const refused = await send(newer[0] ?? "");
  expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
    503,
    "60",
    {
      error: "SERVICE_UNAVAILABLE",
      message: expect.stringMatching(/restored from a backup.*until the operator confirms/),
      details: expect.objectContaining({ outcome: "not_sent", retryable: true }),
    },
  ]);
  expect(await sendAll(newer)).toEqual(each(20, 503));
  expect((await send(RETRIED)).status).toBe(503);
  // The one that the backup has as refused had one attempt before it, and one after.
  expect(await timesSent([...older, ...newer, RETRIED])).toEqual([...each(40, 1), 2]);

  const statuses = await sendAll(underLoad);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(await timesSent(underLoad)).toEqual(each(underLoad.length, 1));

  const withoutKey = await live.send({ type: "text", phone: PHONE, content: "without a key" });
  expect([withoutKey.status, await timesSent(["without a key"])]).toEqual([503, [0]]);
});

test("meanwhile test sends go on, servers stay ready, doctor warns, and the guard's status counts the lost messages", async () => {
  expect((await send("a test", sandbox)).status).toBe(201);
  expect((await request("GET", `${live.baseUrl}/api/health/ready`)).status).toBe(200);
  const examined = await runCommand(DOCTOR, ["--json"], { DATABASE_URL: restored.url });
  const findings: Finding[] = JSON.parse(examined.stdout).findings;
  expect(findings.find(({ name }) => name === "restore guard")).toMatchObject({ state: "warning" });

  const delivered = ["wamid.lost1", "wamid.lost2"].map((id) => ({ id, status: "delivered", recipient_id: PHONE }));
  expect((await postWebhook(statusWebhook(live, delivered))).status).toBe(200);
  expect(await guard("status")).toMatchObject({ guard: "on", lostSendsSeen: [{ messages: 2 }] });
});

test("once the operator confirms, new keys are sent, and the lost ones are sent again", async () => {
  expect(await guard("off")).toEqual({ guard: "off" });
  expect((await send("a new key")).status).toBe(201);
  expect(await sendAll([...newer, RETRIED])).toEqual(each(21, 201));
  expect(await timesSent([...newer, RETRIED])).toEqual([...each(20, 2), 3]);
});
