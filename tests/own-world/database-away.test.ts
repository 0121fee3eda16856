import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { forSuite } from "../support/for-suite";
import { callInParallel } from "../support/limits";
import { watchNoise } from "../support/noise";
import { startOwnPostgres } from "../support/own-database";
import { requestCounts, requestRows } from "../support/request-rows";
import { messageRows, sql } from "../support/rows";
import { expectSent, PHONE } from "../support/sends";
import { signIn } from "../support/session";
import {
  type Answer,
  platformRequests,
  postWebhook,
  provisionWorkspace,
  request,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

const own = forSuite(() => startOwnPostgres());

describe("the log of calls", () => {
  const reports = () =>
    readFileSync(own.logFile, "utf8")
      .split("\n")
      .filter((line) => line.includes('"request-log.not-written"'));

  describe("while the database is unavailable", () => {
    test("calls are answered as before and noted once, with the 503s, as soon as it is back", async () => {
      const workspace = await provisionWorkspace();
      const call = () => workspace.send({ type: "text", phone: PHONE, content: "Hello" });
      const before = [await call(), await call()];
      await own.stopDatabase();
      const away = [await call(), await call(), await call()];
      expect(away.map(({ status }) => status)).toEqual([503, 503, 503]);
      // The two before may have been noted a moment too late to be written.
      await expect.poll(() => reports().length, { timeout: 10_000 }).toBe(1);
      await own.startDatabase();
      const rows = await requestRows(workspace, 5);
      expect(rows.map(({ id }) => id)).toEqual([...before, ...away].map(({ headers }) => headers.get("x-request-id")));
      expect(await requestCounts(workspace)).toEqual({ "201": 2, "503 SERVICE_UNAVAILABLE": 3 });
      expect(reports()).toHaveLength(1);
    });
  });
});

test("the docs are there for an owner while the database is unavailable, without the id of their key", async () => {
  const { owner, apiKey } = await provisionWorkspace({ mode: "test" });
  const cookie = await signIn(owner);
  const read = async () => {
    const { status, text } = await request("GET", `${own.baseUrl}/docs/quickstart`, { headers: { cookie } });
    return [status, text.includes(apiKey), text.includes("$CHAT_API_KEY")];
  };
  expect(await read()).toEqual([200, true, false]);
  await own.stopDatabase();
  expect(await read()).toEqual([200, false, true]);
  await own.startDatabase();
  await expect.poll(read, { timeout: 10_000 }).toEqual([200, true, false]);
});

const TEXT = { type: "text", phone: PHONE, content: "Hello" };

const KINDS = ["send", "status", "health"] as const;

type Timed = { kind: (typeof KINDS)[number]; status: number; startedAtMs: number; ms: number; answer: Answer };

type Times = { awayAtMs: number; backAtMs: number };

const STUCK_MS = 3_000;
const GIVEN_UP_MS = 6_000;

/** Six clients, one call after the other each, until they are stopped. */
const load = (workspace: TestWorkspace, messageId: string) => {
  const calls: Timed[] = [];
  let isOver = false;
  const kinds = ["send", "status", "health", "send", "status", "status"] as const;
  const clients = kinds.map(async (kind, client) => {
    for (let serial = 0; !isOver; serial++) {
      const startedAtMs = Date.now();
      const answer = await {
        send: () => workspace.send(TEXT, { "Idempotency-Key": `${client}-${serial}` }),
        status: () => workspace.status(messageId),
        health: () => request("GET", `${own.baseUrl}/api/health/ready`),
      }[kind]();
      calls.push({ kind, status: answer.status, startedAtMs, ms: Date.now() - startedAtMs, answer });
      await sleep(20);
    }
  });
  return {
    calls,
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
};

/** Answers with the time when the database was back. */
const goAwayAndComeBack = async (kind: string): Promise<number> => {
  if (kind === "stopped for 4 s") {
    await own.stopDatabase();
    await sleep(4_000);
    await own.startDatabase();
  } else if (kind === "crashed") {
    await own.crashDatabase();
    await own.startDatabase();
  } else {
    await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'switchboard-%' and pid <> pg_backend_pid()`;
  }
  return Date.now();
};

const firstGood = (calls: Timed[], kind: Timed["kind"], { awayAtMs, backAtMs }: Times) =>
  calls.find(
    ({ status, startedAtMs, ms, ...call }) =>
      call.kind === kind && status < 300 && startedAtMs > awayAtMs && startedAtMs + ms > backAtMs,
  );

/** Beyond what a stuck connection needs to be noticed, and until every kind of call has gone well. */
const loadTheReturn = async (calls: Timed[], times: Times): Promise<void> => {
  await sleep(STUCK_MS);
  const isWell = () => KINDS.every((kind) => firstGood(calls, kind, times));
  while (!isWell() && Date.now() < times.backAtMs + GIVEN_UP_MS) await sleep(50);
};

const expectWellAfter = async (
  workspace: TestWorkspace,
  { calls }: { calls: Timed[] },
  { noiseMs, ...times }: Times & { noiseMs: number },
) => {
  expect(calls.every(({ status }) => [200, 201, 502, 503].includes(status))).toBe(true);
  for (const { kind, ms, status } of calls) {
    expect(ms, `${kind} ${status}`).toBeLessThan((kind === "send" ? 14_000 : 3_500) + noiseMs);
  }
  for (const kind of KINDS) {
    const first = firstGood(calls, kind, times);
    const wellAtMs = first ? first.startedAtMs + first.ms : Number.POSITIVE_INFINITY;
    expect(wellAtMs - times.backAtMs, kind).toBeLessThan(4_000 + noiseMs);
  }
  // At most one call a message, and whatever was answered 201 is there.
  const sent = await platformRequests(workspace.whatsappPhoneNumberId, "messages");
  const ids = sent.map(({ body }) => String(JSON.parse(body).biz_opaque_callback_data));
  expect(new Set(ids).size).toBe(ids.length);
  const rows = new Map((await messageRows(workspace)).map((row) => [row.id, row.status]));
  for (const { answer } of calls.filter(({ kind, status }) => kind === "send" && status === 201)) {
    expect(rows.get(answer.body.data.id)).toBe("SENT");
  }
};

describe("the database goes away and comes back", () => {
  test.for(["stopped for 4 s", "crashed", "all connections terminated"])(
    "%s: no request hangs, and all is well within 5 s",
    { timeout: 60_000 },
    async (kind) => {
      const workspace = await provisionWorkspace();
      const first = await workspace.send(TEXT);
      expectSent(first);
      const noiseMs = watchNoise();
      const running = load(workspace, first.body.data.id);
      await sleep(1_000);
      const times = { awayAtMs: Date.now(), backAtMs: Number.NaN };
      try {
        times.backAtMs = await goAwayAndComeBack(kind);
        await loadTheReturn(running.calls, times);
      } finally {
        await running.stop();
      }
      if (kind === "stopped for 4 s") {
        const health = running.calls.filter((call) => call.kind === "health" && call.status === 503);
        expect(health.length).toBeGreaterThan(0);
        expect(health[0]?.answer.body.error).toBe("SERVICE_UNAVAILABLE");
      }
      await expectWellAfter(workspace, running, { ...times, noiseMs: noiseMs() });
      // No connection of the pools is left broken: all of them at once answer, and without a wait.
      for (let round = 0; round < 3; round++) {
        const startedAtMs = Date.now();
        const burst = await callInParallel(20, (i) =>
          i % 2 ? workspace.send(TEXT) : workspace.status(first.body.data.id),
        );
        expect(burst.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
        expect(Date.now() - startedAtMs).toBeLessThan(900 + noiseMs());
      }
    },
  );

  test("while it is unavailable: 503 with Retry-After for everything that needs it, and the webhook asks for a repetition", async () => {
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
    await own.stopDatabase();
    const read = statusWebhook(workspace, [{ id: chatMessageId ?? "", status: "read" }]);
    const noiseMs = watchNoise();
    const startedAtMs = Date.now();
    const answers = await Promise.all([
      workspace.send(TEXT, { "Idempotency-Key": "k" }),
      workspace.status(id),
      workspace.call("GET", "/api/v1/public/templates"),
      request("GET", `${own.baseUrl}/api/health/ready`),
      postWebhook(read),
    ]);
    expect(Date.now() - startedAtMs).toBeLessThan(3_000 + noiseMs());
    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(503);
      expect(answer.body.error).toBe("SERVICE_UNAVAILABLE");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await postWebhook(read, { "x-hub-signature-256": "sha256=00" })).status).toBe(401);
    await own.startDatabase();
    await expect.poll(async () => (await postWebhook(read)).status).toBe(200);
    expect((await workspace.status(id)).body.data.status).toBe("READ");
    expectSent(await workspace.send(TEXT, { "Idempotency-Key": "k" }));
  });
});
