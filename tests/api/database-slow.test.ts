import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePools } from "@/db/client";
import { startOwnDatabase } from "../support/own-database";
import { eventWords, onRows } from "../support/rows";
import { expectError, expectSent, PHONE } from "../support/sends";
import { postWebhook, provisionWorkspace, statusWebhook } from "../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const CONNECTIONS = 4;
let own: Awaited<ReturnType<typeof startOwnDatabase>>;
let sql: Sql;
beforeAll(async () => {
  own = await startOwnDatabase({ DATABASE_POOL_MAX: `${CONNECTIONS}` });
  sql = postgres(own.databaseUrl, { max: 2, onnotice: () => undefined });
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await own.stop();
});

/** Nobody reads or writes a message while `work` runs. */
const whileLocked = <T>(work: () => Promise<T>) =>
  sql.begin(async (transaction) => {
    await transaction`lock table messages in access exclusive mode`;
    return work();
  });

describe("more work than connections", () => {
  test("waits for them and never makes more; 503 within 3 s, and all is well when the lock goes", async () => {
    const workspace = await provisionWorkspace();
    expectSent(await workspace.send(TEXT));
    await closePools();
    let [most, isOver] = [0, false];
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
    const answers = await whileLocked(() => Promise.all(Array.from({ length: 40 }, ask)));
    isOver = true;
    await watching;
    for (const { answer, ms } of answers) {
      const details = { retryable: true, retryAfterSeconds: expect.any(Number) };
      expectError(answer, { status: 503, error: "SERVICE_UNAVAILABLE", details });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(ms).toBeLessThan(3_500);
    }
    expect(most).toBeLessThanOrEqual(CONNECTIONS);
    const after = await Promise.all(Array.from({ length: 20 }, () => workspace.send(TEXT)));
    for (const answer of after) expectSent(answer);
  });
});

describe("webhooks that come together", () => {
  const COUNT = 60;
  const READY_MS = 600;

  test("share statements, and each is answered after its own events are kept", async () => {
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
    const post = async (serial: number) => {
      const item = { id: chatMessageId ?? "", status: "delivered", timestamp: `${1_790_000_000 + serial}` };
      const answer = await postWebhook(statusWebhook(workspace, [item]));
      const [kept] = await onRows(
        (rows) => rows<{ count: number }[]>`
          select count(*)::int as count from status_events
          where message_id = ${id} and occurred_at = to_timestamp(${1_790_000_000 + serial})`,
      );
      return { status: answer.status, kept: kept?.count };
    };
    const statements = () => own.countStatements("insert into status_events");
    const before = statements();
    const posts = await whileLocked(async () => {
      const all = Array.from({ length: COUNT }, (_, serial) => post(serial));
      await sleep(READY_MS);
      return { all };
    });
    for (const answer of await Promise.all(posts.all)) expect(answer).toEqual({ status: 200, kept: 1 });
    expect(statements() - before).toBeLessThan(COUNT / 3);
  });

  test("one that cannot be stored keeps none of the others from it", async () => {
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
    // Nothing that comes through our own reading is refused by Postgres, so this one is told to.
    await sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before insert on status_events for each row when (new.status = 'unstorable') execute function refuse()`);
    const isBad = (serial: number) => serial % 15 === 7;
    const posts = await whileLocked(async () => {
      const all = Array.from({ length: COUNT }, (_, serial) => {
        const status = isBad(serial) ? "unstorable" : "read";
        const item = { id: chatMessageId ?? "", status, timestamp: `${1_790_000_000 + serial}` };
        return postWebhook(statusWebhook(workspace, [item]));
      });
      await sleep(READY_MS);
      return { all };
    });
    for (const answer of await Promise.all(posts.all)) expect(answer.status, answer.text).toBe(200);
    const bad = Array.from({ length: COUNT }, (_, serial) => serial).filter(isBad).length;
    expect(await eventWords(workspace, id)).toEqual(Array.from({ length: COUNT - bad }, () => "read"));
    const [unhandled] = await onRows(
      (rows) => rows<{ count: number }[]>`
        select count(*)::int as count from unhandled_webhooks where reason = 'a status that could not be stored'`,
    );
    expect(unhandled?.count).toBe(bad);
  });
});
