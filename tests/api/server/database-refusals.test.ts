import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createDatabase } from "../../support/databases";
import { startInstance, testServers } from "../../support/environment";
import { freshAddress } from "../../support/limits";
import { watchNoise } from "../../support/noise";
import { type Refusal, startRefusingPostgres } from "../../support/refusing-postgres";
import { sql } from "../../support/rows";
import { expectSent, TEXT } from "../../support/sends";
import { signIn, submitSignIn } from "../../support/session";
import { startSilentRelay } from "../../support/silent-relay";
import {
  type Answer,
  postWebhook,
  provisionWorkspace,
  request,
  statusWebhook,
  type TestWorkspace,
} from "../../support/workspace";

const PUBLIC = "/api/v1/public";
/** By contract. */
const ANSWERED_MS = 3_000;
const WELL_AGAIN_MS = 5_000;

const refusals = (at: Refusal["at"], severity: Refusal["severity"], codes: string[]): Refusal[] =>
  codes.map((code) => ({ at, severity, code }));

const REFUSALS = [
  // One of each kind of answer; tests/unit/database-failure.test.ts has the codes.
  ...refusals("start", "FATAL", ["28P01", "53300", "57P03"]),
  ...refusals("statement", "ERROR", ["53100", "25006", "26000"]),
  ...refusals("statement", "FATAL", ["57P01"]),
  ...refusals("statement", "PANIC", ["58030"]),
];

type Instance = Awaited<ReturnType<typeof startInstance>>;
type Timed = { answer: Answer; ms: number; noiseMs: number };

async function timed(call: Promise<Answer>): Promise<Timed> {
  const noiseMs = watchNoise();
  const startedAtMs = performance.now();
  return { answer: await call, ms: performance.now() - startedAtMs, noiseMs: noiseMs() };
}

/** One call to everything that needs the database. */
async function callEverything(
  { baseUrl }: Instance,
  { workspace, cookie, messageId }: { workspace: TestWorkspace; cookie: string; messageId: string },
): Promise<Record<string, Timed>> {
  const partner = (method: string, path: string, body?: unknown) =>
    workspace.at(baseUrl).call(method, `${PUBLIC}${path}`, { body, headers: { "x-forwarded-for": freshAddress() } });
  const get = (path: string, headers: Record<string, string>) => request("GET", `${baseUrl}${path}`, { headers });
  const cron = { authorization: `Bearer ${testServers().environment.CRON_SECRET}` };
  const calls = {
    send: partner("POST", "/messages/send", TEXT),
    status: partner("GET", `/messages/${messageId}`),
    templates: partner("GET", "/templates"),
    "unknown path": partner("GET", "/nothing"),
    webhook: postWebhook(statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]), {}, baseUrl),
    health: get("/api/health/ready", {}),
    cron: get("/api/cron/sweep", cron),
    "sign-in": submitSignIn(workspace.owner, { baseUrl }),
    lines: get(`/api/v1/workspaces/${workspace.workspaceId}/phone-numbers`, { cookie }),
    ...Object.fromEntries(
      ["/dashboard", "/dashboard/messages", "/sign-in", "/set-up"].map((path) => [path, get(path, { cookie })]),
    ),
  };
  const answers = Object.entries(calls).map(async ([name, call]) => [name, await timed(call)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

/** 503 with `Retry-After` in our shape; a page says it in words, without a stack. */
function expectUnavailable(name: string, { answer, ms, noiseMs }: Timed) {
  expect([name, answer.status], answer.text.slice(0, 300)).toEqual([name, 503]);
  expect(Number(answer.headers.get("retry-after")), name).toBeGreaterThan(0);
  // A sweep gives each of its parts a turn, whatever became of the others.
  if (name !== "cron") expect(ms, name).toBeLessThan(ANSWERED_MS + noiseMs);
  if (name.startsWith("/")) expect(answer.text, name).not.toMatch(/\n\s+at \S+ \(|Failed query/);
  else expect([answer.body.error, answer.body.details.retryable], name).toEqual(["SERVICE_UNAVAILABLE", true]);
}

const healthOf = async ({ baseUrl }: Instance) => (await request("GET", `${baseUrl}/api/health/ready`)).status;

describe("503 with Retry-After, for everything that needs a database which", () => {
  let door: Awaited<ReturnType<typeof startRefusingPostgres>>;
  let instance: Instance;
  let caller: Parameters<typeof callEverything>[1];
  beforeAll(async () => {
    door = await startRefusingPostgres(testServers().environment.DATABASE_URL ?? "");
    const workspace = await provisionWorkspace();
    const messageId = (await workspace.send(TEXT)).body.data.id;
    caller = { workspace, messageId, cookie: await signIn(workspace.owner) };
    instance = await startInstance({ DATABASE_URL: door.url });
  });
  afterAll(async () => {
    await instance.stop();
    await door.stop();
  });

  test.each(REFUSALS)("refuses each $at: $severity $code", async (refusal) => {
    door.refuse(refusal);
    const answers = await callEverything(instance, caller);
    door.heal();
    for (const [name, timed] of Object.entries(answers)) expectUnavailable(name, timed);
    await expect.poll(() => healthOf(instance), { timeout: WELL_AGAIN_MS }).toBe(200);
  });

  test("leaves no statement and no value of one in the log", () => {
    const log = readFileSync(instance.logFile, "utf8");
    expect(log).toContain('"code":"53100"');
    expect(log).not.toMatch(/Failed query|select "|insert into/);
  });
});

describe("503 and then 200 again, as the database's operator changes it:", () => {
  test.each<[string, (names: Record<"role" | "name", string>) => [away: string[], back: string[]]]>([
    ["the password", ({ role }) => [[`alter role ${role} password 'other'`], [`alter role ${role} password 'first'`]]],
    [
      "the database has another name",
      ({ name }) => [[`alter database ${name} rename to ${name}_x`], [`alter database ${name}_x rename to ${name}`]],
    ],
  ])("%s", async (_, changes) => {
    const database = await createDatabase({ isMigrated: true });
    const role = `role_${randomBytes(6).toString("hex")}`;
    const name = new URL(database.url).pathname.slice(1);
    const run = async (statements: string[]) => {
      for (const statement of statements) await sql.unsafe(statement);
    };
    await run([`create role ${role} login password 'first'`]);
    await database.sql.unsafe(`grant all on schema public, drizzle to ${role}`);
    await database.sql.unsafe(`grant all on all tables in schema public, drizzle to ${role}`);
    await database.sql.end();
    const url = Object.assign(new URL(database.url), { username: role, password: "first" });
    const instance = await startInstance({ DATABASE_URL: url.href }, "API");
    const ask = () =>
      Promise.all(
        ["/api/health/ready", `${PUBLIC}/templates`].map((path) =>
          timed(request("GET", `${instance.baseUrl}${path}`, { headers: { "x-forwarded-for": freshAddress() } })),
        ),
      );
    const [away, back] = changes({ role, name });
    const leave = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`;
    try {
      // A rename waits for no connection, and a pool that was cut makes new ones at once.
      await vi.waitFor(() => run([leave, ...away]), { timeout: 5_000 });
      await run([leave]);
      for (let round = 0; round < 3; round++) {
        for (const [i, timed] of (await ask()).entries()) expectUnavailable(`call ${i}`, timed);
      }
      await run(back);
      const statuses = async () => (await ask()).map(({ answer }) => answer.status);
      await expect.poll(statuses, { timeout: WELL_AGAIN_MS }).toEqual([200, 401]);
    } finally {
      await instance.stop();
      await database.drop();
      await run([`drop role ${role}`]);
    }
  });
});

test("a process that was frozen while its idle connections died serves its first sends", async () => {
  const relay = await startSilentRelay(testServers().environment.DATABASE_URL ?? "");
  const instance = await startInstance({ DATABASE_URL: relay.url }, "API");
  try {
    const { send } = (await provisionWorkspace()).at(instance.baseUrl);
    const burst = () => Promise.all(Array.from({ length: 10 }, () => send(TEXT)));
    for (const answer of await burst()) expectSent(answer);
    process.kill(instance.pid, "SIGSTOP");
    relay.forget();
    await sleep(4_000);
    process.kill(instance.pid, "SIGCONT");
    for (const answer of await burst()) expectSent(answer);
  } finally {
    await instance.stop();
    await relay.stop();
  }
});
