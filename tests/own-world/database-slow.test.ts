import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePools, inTransaction } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";
import { sandboxSecret } from "@/lib/whatsapp/webhook-signature";
import { testServers } from "../support/environment";
import { watchNoise } from "../support/noise";
import { startOwnPostgres } from "../support/own-database";
import { eventWords, sql } from "../support/rows";
import { expectError, expectSent, PHONE } from "../support/sends";
import { bodyOf, templateRecord } from "../support/template-records";
import { signatureOf } from "../support/webhooks";
import {
  graphError,
  platformRequests,
  postWebhook,
  provisionWorkspace,
  scriptPlatform,
  statusWebhook,
} from "../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const CONNECTIONS = 4;
const LOCK_MS = 3_500;
/** In which a step of a request has its answer from the database, or none. */
const STEP_MS = 2_500;
let own: Awaited<ReturnType<typeof startOwnPostgres>>;
beforeAll(async () => {
  own = await startOwnPostgres({ DATABASE_POOL_MAX: `${CONNECTIONS}` }, "API");
});
afterAll(async () => {
  await own.stop();
});

/** Nobody reads or writes a message for so long. Resolves with what `start` began, once the lock is gone. */
const whileLocked = <T>(ms: number, start: () => Promise<T>[]): Promise<T[]> => {
  let all: Promise<T>[] = [];
  return sql
    .begin(async (transaction) => {
      await transaction`lock table messages in access exclusive mode`;
      all = start();
      await sleep(ms);
    })
    .then(() => Promise.all(all));
};

describe("a refusal of WhatsApp", () => {
  test("is reported as it is where its template cannot be read again", async () => {
    const hello = templateRecord("hello", [bodyOf("Hi {{1}}")]);
    const workspace = await provisionWorkspace({ templates: [hello] });
    const refusal = { ...graphError(132000, "Refused"), status: 400 };
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [{ delayMs: 2_000, ...refusal }]);
    const filled = { type: "template", phone: PHONE, templateName: "hello", templateVariables: { "1": "Ana" } };
    const sending = workspace.send(filled);
    await expect
      .poll(() => platformRequests(workspace.whatsappPhoneNumberId, "messages"), { timeout: 10_000 })
      .toHaveLength(1);
    await sql.begin(async (transaction) => {
      await transaction`lock table templates in access exclusive mode`;
      const answer = await sending;
      expect([answer.status, answer.body.error], answer.text).toEqual([400, "CHAT_GRAPH_ERROR"]);
      expect(answer.body.details).toMatchObject({ outcome: "not_sent", platform: { code: 132000 } });
    });
  });
});

describe("more work than connections", () => {
  test("waits and never makes more; each gets 503 at its second wait at the latest, and all is well when the lock goes", async () => {
    const workspace = await provisionWorkspace();
    expectSent(await workspace.send(TEXT));
    await closePools();
    let [most, isOver] = [0, false];
    const noiseMs = watchNoise();
    const watching = (async () => {
      for (; !isOver; await sleep(50)) {
        const [open] = await sql<{ count: number }[]>`
          select count(*)::int as count from pg_stat_activity where application_name = 'switchboard-requests'`;
        most = Math.max(most, open?.count ?? 0);
      }
    })();
    const ask = async () => {
      const startedAtMs = performance.now();
      const answer = await workspace.send(TEXT);
      return { answer, ms: performance.now() - startedAtMs };
    };
    const askTwice = async () => [await ask(), await ask()];
    const answers = (await whileLocked(LOCK_MS, () => Array.from({ length: 40 }, askTwice))).flat();
    isOver = true;
    await watching;
    const refused = answers.filter(({ answer }) => answer.status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const { answer } of refused) {
      const details = { retryable: true, retryAfterSeconds: expect.any(Number) };
      expectError(answer, { status: 503, error: "SERVICE_UNAVAILABLE", details });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    for (const { ms } of answers) expect(ms).toBeLessThan(2 * STEP_MS + noiseMs());
    expect(most).toBeLessThanOrEqual(CONNECTIONS);
    const after = await Promise.all(Array.from({ length: 20 }, () => workspace.send(TEXT)));
    for (const answer of after) expectSent(answer);
  });
});

describe("work that has more time than a request", () => {
  const takeSeconds = (seconds: number) =>
    inTransaction(
      async (tx) => {
        const run = rawSql(tx);
        await run`set local statement_timeout = '20s'`;
        await run`select pg_sleep(${seconds})`;
        return seconds;
      },
      { pool: "records", timeoutMs: 20_000 },
    );

  test("has it, alone in its pool and beside others", async () => {
    await provisionWorkspace();
    expect(await takeSeconds(3.5)).toBe(3.5);
    let isOver = false;
    const others = (async () => {
      for (; !isOver; await sleep(200)) await onSql((one) => one`select 1`, { pool: "records" });
    })();
    expect(await takeSeconds(6)).toBe(6);
    isOver = true;
    await others;
  });
});

describe("webhooks that come together", () => {
  const COUNT = 60;
  const READY_MS = 1_200;

  test("share statements, and each is answered after its own events are kept", async () => {
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
    const post = async (serial: number) => {
      const item = { id: chatMessageId ?? "", status: "delivered", timestamp: `${1_790_000_000 + serial}` };
      const answer = await postWebhook(statusWebhook(workspace, [item]));
      const [kept] = await sql<{ count: number }[]>`
        select count(*)::int as count from status_events
        where message_id = ${id} and occurred_at = to_timestamp(${1_790_000_000 + serial})`;
      return { status: answer.status, kept: kept?.count };
    };
    const statements = () => own.countStatements("insert into status_events");
    const before = statements();
    const answers = await whileLocked(READY_MS, () => Array.from({ length: COUNT }, (_, serial) => post(serial)));
    for (const answer of answers) expect(answer).toEqual({ status: 200, kept: 1 });
    expect(statements() - before).toBeLessThan(COUNT / 3);
  });

  test("one that cannot be stored keeps none of the others from it, and is stored when WhatsApp repeats it", async () => {
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
    // Nothing that comes through our own reading is refused by Postgres, so this one is made to fail.
    await sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before insert on status_events for each row when (new.status = 'unstorable') execute function refuse()`);
    const isBad = (serial: number) => serial % 15 === 7;
    const post = (serial: number) => {
      const status = isBad(serial) ? "unstorable" : "read";
      const item = { id: chatMessageId ?? "", status, timestamp: `${1_790_000_000 + serial}` };
      return postWebhook(statusWebhook(workspace, [item]));
    };
    const serials = Array.from({ length: COUNT }, (_, serial) => serial);
    const answers = await whileLocked(READY_MS, () => serials.map(post));
    for (const [serial, { status, text }] of answers.entries()) expect(status, text).toBe(isBad(serial) ? 503 : 200);
    const bad = serials.filter(isBad);
    expect(await eventWords(workspace, id)).toEqual(Array.from({ length: COUNT - bad.length }, () => "read"));
    const sandboxed = await provisionWorkspace({ mode: "test" });
    const ofSandbox = JSON.stringify(statusWebhook(sandboxed, [{ id: "wamid.early", status: "unstorable" }]));
    const secret = sandboxSecret(testServers().environment.WHATSAPP_APP_SECRET ?? "");
    const postOfSandbox = () => postWebhook(ofSandbox, { "x-hub-signature-256": signatureOf(ofSandbox, secret) });
    expect((await postOfSandbox()).status).toBe(503);
    await sql.unsafe("drop function refuse cascade");
    for (const serial of bad) expect((await post(serial)).status).toBe(200);
    expect((await postOfSandbox()).status).toBe(200);
    expect((await eventWords(workspace, id)).filter((word) => word === "unstorable")).toHaveLength(bad.length);
  });
});
