import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DatabaseUnavailable } from "@/db/client";
import { listReader } from "@/db/read-lists";
import type { Finding } from "@/lib/core/finding";
import { callAction, saidByAction } from "../support/actions";
import { runCommand } from "../support/commands";
import { watchNoise } from "../support/noise";
import { startOwnPostgres } from "../support/own-database";
import { processTree } from "../support/process-tree";
import { DOCTOR } from "../support/programs";
import { sql } from "../support/rows";
import { expectSent, PHONE } from "../support/sends";
import { signIn } from "../support/session";
import { provisionWorkspace, request, type TestWorkspace } from "../support/workspace";

const METRICS_TOKEN = "metrics-of-the-replica-test";
const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const MESSAGES = "/dashboard/messages?mode=live";
const LIST_STATEMENT = 'from "messages"';
/** After a failure lists come from the primary for so long. */
const AWAY_MS = 5_000;

let own: Awaited<ReturnType<typeof startOwnPostgres>>;
let standby: Sql;
let workspace: TestWorkspace;
let cookie: string;
beforeAll(async () => {
  own = await startOwnPostgres({ METRICS_TOKEN }, undefined, { hasStandby: true });
  standby = postgres(own.standby.url, { max: 1, onnotice: () => undefined });
  workspace = await provisionWorkspace();
  cookie = await signIn(workspace.owner);
});
afterAll(async () => {
  await standby.end({ timeout: 1 });
  await own.stop();
});

const read = async (path: string) => {
  const startedAtMs = performance.now();
  const { status, text } = await request("GET", `${own.baseUrl}${path}`, { headers: { cookie } });
  return { status, text, ms: performance.now() - startedAtMs };
};

const send = async () => {
  const answer = await workspace.send(TEXT);
  expectSent(answer);
  return answer.body.data.id;
};

/** As if the person had changed nothing for a while. */
const forgetActions = () => sql`update sessions set acted_at = now() - interval '1 hour'`;

/** Reads the list until it comes from the standby. */
const readsStandby = async () => {
  await forgetActions();
  const readOnce = async () => {
    const before = own.standby.countStatements(LIST_STATEMENT);
    expect((await read(MESSAGES)).status).toBe(200);
    return own.standby.countStatements(LIST_STATEMENT) > before;
  };
  await expect.poll(readOnce, { timeout: 3 * AWAY_MS, interval: 250 }).toBe(true);
};

const hasReplayed = async () => {
  const [end] = await sql<{ lsn: string }[]>`select pg_current_wal_insert_lsn()::text as lsn`;
  const ask = () => standby`select pg_last_wal_replay_lsn() >= ${end?.lsn ?? ""}::text::pg_lsn as has`;
  await expect.poll(async () => (await ask())[0]?.has, { timeout: 10_000 }).toBe(true);
};

const metrics = async (): Promise<string> => {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return (await request("GET", `${own.baseUrl}/api/metrics`, { headers })).text;
};

const lagMetric = async (): Promise<number> =>
  Number(/^switchboard_replica_lag_seconds (\S+)$/m.exec(await metrics())?.[1]?.replace("+Inf", "Infinity"));

/** The statements of pages that the standby did not answer. */
const unanswered = async (): Promise<number> => {
  const counts = (await metrics()).matchAll(
    /^switchboard_database_seconds_count\{pool="replica",outcome="(?!ok).*"pages"\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

const replicaFinding = async (url: string): Promise<Finding | undefined> => {
  const { stdout } = await runCommand(DOCTOR, ["--json"], { DATABASE_REPLICA_URL: url });
  const { findings }: { findings: Finding[] } = JSON.parse(stdout);
  return findings.find(({ name }) => name === "replica");
};

/** How long a statement on the standby may hold up the replay. */
const cancelsAfter = async (delay: string) => {
  await standby.unsafe(`alter system set max_standby_streaming_delay = '${delay}'`);
  await standby`select pg_reload_conf()`;
};

const awayLines = () =>
  readFileSync(own.logFile, "utf8")
    .split("\n")
    .filter((line) => line.includes('"replica.away"'));

test("an idle replica is 0 s behind in the metrics and for doctor, which warns of a primary in its place", async () => {
  await hasReplayed();
  await sleep(2_500);
  const [idle] = await standby<{ seconds: number }[]>`
    select extract(epoch from now() - pg_last_xact_replay_timestamp())::float8 as seconds`;
  expect(idle?.seconds).toBeGreaterThan(2);
  expect(await lagMetric()).toBeLessThan(0.5);
  const [well, promoted, closed] = await Promise.all(
    [own.standby.url, own.databaseUrl, "postgres://nobody:secret@127.0.0.1:1/none"].map(replicaFinding),
  );
  expect(well).toMatchObject({ state: "passed", words: expect.stringMatching(/is 0\.\d s behind$/) });
  expect(promoted).toMatchObject({ state: "warning", words: expect.stringContaining("is not a standby of") });
  expect(closed).toMatchObject({ state: "warning", advice: expect.stringContaining("in DATABASE_REPLICA_URL") });
});

test("lists are read from the standby and say how old they are; records, own changes and the API are current", async () => {
  const old = await send();
  await hasReplayed();
  await readsStandby();
  const current = await read(MESSAGES);
  expect([current.text.includes(old), current.text.includes("read replica")]).toEqual([true, false]);

  await standby`select pg_wal_replay_pause()`;
  const young = await send();
  await sleep(3_000);
  const stale = await read(MESSAGES);
  expect([stale.text.includes(old), stale.text.includes(young)]).toEqual([true, false]);
  expect(stale.text.replaceAll("<!-- -->", "")).toMatch(/As of .*\d\d:\d\d:\d\d.*\(read replica, [3-6] s behind\)/);
  expect(await read(`/dashboard/messages/${young}`)).toMatchObject({ status: 200 });
  expect((await workspace.status(young)).status).toBe(200);

  const action = await callAction("app/dashboard/contacts/actions.ts#createContact", {
    fields: { workspaceId: workspace.workspaceId, phone: "+447700900456", name: "Own Change" },
    headers: { cookie },
    baseUrl: own.baseUrl,
  });
  expect(saidByAction(action.text)).toMatchObject({ ok: true });
  expect((await read("/dashboard/contacts")).text).toContain("Own Change");
  const mine = await read(MESSAGES);
  expect([mine.text.includes(young), mine.text.includes("read replica")]).toEqual([true, false]);
  await forgetActions();
  expect((await read("/dashboard/contacts")).text).not.toContain("Own Change");
  const sent = await request(
    "POST",
    `${own.baseUrl}/api/v1/workspaces/${workspace.workspaceId}/messages/send?mode=live`,
    {
      headers: { cookie, origin: own.baseUrl, "content-type": "application/json" },
      body: JSON.stringify(TEXT),
    },
  );
  expect(sent.status, sent.text).toBe(201);
  expect((await read(MESSAGES)).text).toContain(sent.body.data.id);

  await forgetActions();
  await expect.poll(async () => (await read(MESSAGES)).text.includes(young), { timeout: 15_000 }).toBe(true);
  expect(await lagMetric()).toBeGreaterThan(10);
  expect(awayLines()).toHaveLength(1);
  await standby`select pg_wal_replay_resume()`;
});

test("a list that replay cancels on the standby is read from the primary, and says nothing of other lists", async () => {
  await readsStandby();
  await sql.unsafe(`
    alter table contacts rename to contacts_base;
    create view contacts as select * from contacts_base where pg_sleep(0.3)::text is not null`);
  await hasReplayed();
  await cancelsAfter("0");
  const statements = () => own.standby.countStatements('from "contacts"');
  const [before, outages] = [statements(), awayLines().length];
  const onPrimary = own.countStatements('from "contacts"');
  const reading = read("/dashboard/contacts");
  await expect.poll(statements, { interval: 10 }).toBeGreaterThan(before);
  await sql.begin((transaction) => transaction`lock table contacts_base in access exclusive mode`);
  const { status, text } = await reading;
  expect([status, text.includes("Own Change")]).toEqual([200, true]);
  expect(own.countStatements('from "contacts"')).toBeGreaterThan(onPrimary);
  expect(awayLines()).toHaveLength(outages);
  await sql.unsafe("drop view contacts; alter table contacts_base rename to contacts");
  await cancelsAfter("30s");
});

test("a third list without an answer ends the standby's use for 5 s, whatever had begun before, and the next for 10", async () => {
  await readsStandby();
  const readBy = (onStandby: () => Promise<string>) => {
    const reader = listReader({ hasActed: false });
    return reader.read(async () => (reader.lagSeconds === undefined ? "primary" : onStandby()));
  };
  const succeed = async () => "standby";
  const fail = () => Promise.reject(new DatabaseUnavailable("no answer in time"));
  const checked = () => sleep(500);
  for (let times = 1; times <= 2; times++) {
    expect(await readBy(fail)).toBe("primary");
    await checked();
  }
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const [third, listBefore] = [readBy(() => ended.then(fail)), readBy(() => ended.then(checked).then(succeed))];
  await sleep(1_500);
  const duringCheck = readBy(succeed);
  end();
  expect(await Promise.all([third, duringCheck, listBefore])).toEqual(["primary", "primary", "standby"]);
  await sleep(AWAY_MS);
  expect(await readBy(succeed)).toBe("primary");
  await checked();
  expect(await readBy(fail)).toBe("primary");
  await checked();
  expect(await readBy(succeed)).toBe("primary");
});

test("an export whose standby dies in the middle goes on at the primary: every message once", async () => {
  await sql`
      insert into messages select copy.* from generate_series(1, 15000) n,
        (select m from messages m where workspace_id = ${workspace.workspaceId} order by created_at limit 1) first,
        jsonb_populate_record(first.m, jsonb_build_object('id', 'msg_x' || n, 'idempotency_key', 'copy-' || n,
          'created_at', (first.m).created_at - n * interval '100 milliseconds', 'whatsapp_message_id', null)) copy`;
  await hasReplayed();
  await readsStandby();
  const [onStandby, onPrimary] = [own.standby.countStatements(LIST_STATEMENT), own.countStatements(LIST_STATEMENT)];
  const answer = await fetch(`${own.baseUrl}/api/v1/workspaces/${workspace.workspaceId}/messages/export?mode=live`, {
    headers: { cookie },
  });
  const chunks: string[] = [];
  for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    chunks.push(chunk);
    if (chunks.length === 2) process.kill(own.standby.pid(), "SIGQUIT");
  }
  const ids = chunks.join("").match(/msg_\w+/g) ?? [];
  const all = await sql<{ id: string }[]>`
      select id from messages where workspace_id = ${workspace.workspaceId} order by created_at desc, id desc`;
  expect(ids).toEqual(all.map(({ id }) => id));
  expect(own.standby.countStatements(LIST_STATEMENT)).toBeGreaterThan(onStandby);
  expect(own.countStatements(LIST_STATEMENT)).toBeGreaterThan(onPrimary);
  expect(await lagMetric()).toBe(Number.POSITIVE_INFINITY);
});

test("a frozen standby delays one page, within its deadline, and no other, and is asked again after 5 s, then after 10", async () => {
  await own.standby.start();
  await readsStandby();
  const frozen = processTree(own.standby.pid());
  for (const pid of frozen) process.kill(pid, "SIGSTOP");
  const noiseMs = watchNoise();
  const [outages, asked, endsAtMs] = [awayLines().length, await unanswered(), performance.now() + AWAY_MS + 4_000];
  const [first, second] = [await read(MESSAGES), await read(MESSAGES)];
  for (; performance.now() < endsAtMs; await sleep(250)) await read(MESSAGES);
  expect(awayLines()).toHaveLength(outages + 1);
  // Two lists of the first page, a check beside it, and one after 5 s.
  expect((await unanswered()) - asked).toBeLessThanOrEqual(4);
  for (const pid of frozen) process.kill(pid, "SIGCONT");
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(first.ms).toBeLessThan(2_500 + noiseMs());
  expect(second.ms).toBeLessThan(noiseMs());
});
