import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { REMOVED_REASON } from "@/lib/core/retention";
import { startOwnDatabase } from "../support/own-database";
import { whileLocked } from "../support/row-lock";
import { changesBetween, eventRaws, messageRows, onRows, snapshot } from "../support/rows";
import { expectError, PHONE, sentBodies } from "../support/sends";
import { sweep } from "../support/sweep";
import {
  postWebhook,
  provisionWorkspace,
  scriptPlatform,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

const WORDS = "the secret of the heron";
const TEXT = { type: "text", phone: PHONE, content: WORDS };
const KEY = { "Idempotency-Key": "k" };
const QUOTING = [{ code: 131026, title: "Undeliverable", error_data: { details: `Not sent: ${WORDS}` } }];

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase({ MESSAGE_RETENTION_DAYS: "7" }, "API");
});
afterAll(() => own.stop());

/** As if everything in the workspace had been sent so many days ago, and nothing been purged since. */
const age = ({ workspaceId }: TestWorkspace, days: number) =>
  onRows(
    (sql) => sql`
      with again as (update workspaces set contents_purged_until = null where id = ${workspaceId})
      update messages set created_at = created_at - make_interval(days => ${days}) where workspace_id = ${workspaceId}`,
  );

const contentsOf = ({ workspaceId }: TestWorkspace): Promise<(string | null)[]> =>
  onRows(
    (sql) => sql<{ request: string | null }[]>`
      select request from messages where workspace_id = ${workspaceId} order by created_at, id`,
  ).then((rows) => rows.map(({ request }) => request));

const textOf = async (workspace: TestWorkspace): Promise<string> => {
  const events = await onRows(
    (sql) => sql`select to_json(e)::text as row from status_events e where workspace_id = ${workspace.workspaceId}`,
  );
  return JSON.stringify([...(await snapshot(workspace)).values(), events]);
};

describe("contents", () => {
  test("go after the days of the deployment; every id, status, time, code and fingerprint stays", async () => {
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(TEXT, KEY)).body.data;
    const quoting = { id: chatMessageId ?? "", conversation: { id: WORDS } };
    await postWebhook(statusWebhook(workspace, [{ ...quoting, status: "failed", errors: QUOTING }]));
    await postWebhook(statusWebhook(workspace, [{ ...quoting, status: "sent" }]));
    expect(await eventRaws(workspace, id)).toEqual([expect.stringContaining(WORDS), expect.stringContaining(WORDS)]);
    const reported = (await workspace.status(id)).body.data;
    expect(reported.failureReason).toContain(WORDS);
    await age(workspace, 8);
    const before = await snapshot(workspace);
    expect((await sweep()).status).toBe(200);
    expect(changesBetween(before, await snapshot(workspace))).toEqual({
      "messages.request": null,
      "messages.failure_reason": REMOVED_REASON,
      "messages.contents_removed_at": expect.any(String),
    });
    expect(await textOf(workspace)).not.toContain(WORDS);
    expect(await eventRaws(workspace, id)).toEqual([null, null]);
    expect((await workspace.status(id)).body.data).toEqual({
      ...reported,
      failureReason: REMOVED_REASON,
      createdAt: expect.any(String),
    });
  });

  test("of younger messages stay, and a workspace's own days come before the deployment's", async () => {
    const [young, longer, shorter] = await Promise.all([
      provisionWorkspace(),
      provisionWorkspace(),
      provisionWorkspace(),
    ]);
    const days = ({ workspaceId }: TestWorkspace, count: number | null) =>
      onRows((sql) => sql`update workspaces set retention_days = ${count} where id = ${workspaceId}`);
    await Promise.all([days(longer, 30), days(shorter, 1)]);
    for (const workspace of [young, longer, shorter]) await workspace.send(TEXT);
    await Promise.all([age(young, 6), age(longer, 29), age(shorter, 2)]);
    await sweep();
    const kept = expect.stringContaining(WORDS);
    expect(await Promise.all([young, longer, shorter].map(contentsOf))).toEqual([[kept], [kept], [null]]);
    await days(longer, null);
    await sweep();
    expect(await contentsOf(longer)).toEqual([null]);
  });

  test("of more messages than a batch go in one pass, and passes at the same time do no harm", async () => {
    const workspaces = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
    for (const workspace of workspaces) {
      const { id } = (await workspace.send(TEXT)).body.data;
      await onRows(
        (sql) => sql`
          insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, request, fingerprint,
            phase, status, lease_expires_at, created_at)
          select workspace_id, id || n, mode, phone_number_id, contact_id, phone, type, request, fingerprint,
            phase, status, now(), case when n <= 700 then created_at else created_at + make_interval(secs => n * 0.001) end
          from messages, generate_series(1, 1300) n where workspace_id = ${workspace.workspaceId} and id = ${id}`,
      );
      await age(workspace, 8);
    }
    const passes = await Promise.all(Array.from({ length: 4 }, () => sweep()));
    expect(passes.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await sweep();
    for (const workspace of workspaces) {
      const contents = await contentsOf(workspace);
      expect([contents.length, contents.filter((content) => content !== null).length]).toEqual([1301, 0]);
    }
  });
});

describe("a message without its contents", () => {
  test("still answers its key: 200 for the same body, 409 for another, and no call to WhatsApp", async () => {
    const workspace = await provisionWorkspace();
    const { id } = (await workspace.send(TEXT, KEY)).body.data;
    await age(workspace, 8);
    await sweep();
    const replay = await workspace.send(TEXT, KEY);
    expect([replay.status, replay.body.data.id, replay.body.data.status]).toEqual([200, id, "SENT"]);
    expect(replay.body.data.idempotentReplay).toBe(true);
    const other = await workspace.send({ ...TEXT, content: "other" }, KEY);
    expectError(other, {
      status: 409,
      error: "IDEMPOTENCY_CONFLICT",
      message: expect.not.stringContaining(WORDS),
      details: { field: "idempotencyKey", reason: "body_mismatch", messageId: id, retryable: false },
    });
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(1);
  });

  test("is final where it could have been tried again before", async () => {
    const workspace = await provisionWorkspace();
    await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [
      { status: 401, json: { error: { code: 190, message: WORDS } } },
    ]);
    const first = await workspace.send(TEXT, KEY);
    expect(first.status).toBe(502);
    await age(workspace, 8);
    await sweep();
    const replay = await workspace.send(TEXT, KEY);
    expect([replay.status, replay.body.data.status]).toEqual([200, "FAILED"]);
    expect(replay.body.data.failureReason).toBe(REMOVED_REASON);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(1);
  });

  test("moves on by a late webhook, which brings nothing back, in whatever way it finds the message", async () => {
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
    await age(workspace, 8);
    await sweep();
    const failed = { id: chatMessageId ?? "", status: "failed", errors: QUOTING };
    for (const status of [failed, { ...failed, biz_opaque_callback_data: id, timestamp: "1700000000" }]) {
      expect((await postWebhook(statusWebhook(workspace, [status]))).status).toBe(200);
    }
    expect((await workspace.status(id)).body.data).toMatchObject({ status: "FAILED", failureReason: REMOVED_REASON });
    expect(await textOf(workspace)).not.toContain(WORDS);
    const codes = await onRows(
      (sql) => sql`
        select failure_code as code, failure_reason as reason from status_events where workspace_id = ${workspace.workspaceId}`,
    );
    expect(codes).toEqual([
      { code: 131026, reason: null },
      { code: 131026, reason: null },
    ]);
  });

  test.each(["the webhook", "the purge"])(
    "keeps no words of a webhook of the same instant: %s is first",
    async (first) => {
      const workspace = await provisionWorkspace();
      const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
      await age(workspace, 8);
      const failed = { id: chatMessageId ?? "", status: "failed", errors: QUOTING };
      const tell = () => postWebhook(statusWebhook(workspace, [failed]));
      const [one, other] = first === "the webhook" ? [tell, sweep] : [sweep, tell];
      const answers = await whileLocked(id, async (queued) => {
        const earlier = one();
        await queued(1);
        const later = other();
        await queued(2);
        return [earlier, later];
      }).then((running) => Promise.all(running));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect((await workspace.status(id)).body.data).toMatchObject({ status: "FAILED", failureReason: REMOVED_REASON });
      expect(await contentsOf(workspace)).toEqual([null]);
      expect(await textOf(workspace)).not.toContain(WORDS);
    },
  );

  test("takes an event that waited for it without the event's words", async () => {
    const workspace = await provisionWorkspace();
    const early = { id: "wamid.EARLY", status: "failed", errors: QUOTING };
    await postWebhook(statusWebhook(workspace, [early]));
    const { id } = (await workspace.send(TEXT)).body.data;
    await age(workspace, 8);
    await sweep();
    await onRows((sql) => sql`update messages set whatsapp_message_id = 'wamid.EARLY' where id = ${id}`);
    await sweep();
    expect((await workspace.status(id)).body.data).toMatchObject({ status: "FAILED", failureReason: REMOVED_REASON });
    expect(await textOf(workspace)).not.toContain(WORDS);
  });
});

describe("a pass of the sweeper", () => {
  /** Locks a table until released. */
  const lockTable = async (table: string) => {
    const sql = postgres(own.databaseUrl, { max: 1 });
    await sql.unsafe(`begin; lock table ${table} in access exclusive mode`);
    return { release: () => sql.end({ timeout: 1 }) };
  };

  test.each(["media_uploads", "rate_windows", "flow_sessions"])(
    "removes contents although another part cannot be done, and says that it could not: %s",
    async (table) => {
      const workspace = await provisionWorkspace();
      await workspace.send(TEXT);
      await age(workspace, 8);
      const lock = await lockTable(table);
      const answer = await sweep();
      await lock.release();
      expectError(answer, {
        status: 503,
        error: "SERVICE_UNAVAILABLE",
        details: { retryable: true, retryAfterSeconds: 5 },
      });
      expect(await contentsOf(workspace)).toEqual([null]);
    },
  );

  test("one message that cannot be emptied keeps no other from its turn, in no workspace, and is tried again", async () => {
    // The one that is looked at first.
    const workspaces = [await provisionWorkspace(), await provisionWorkspace()];
    for (const workspace of workspaces) {
      for (let i = 0; i < 10; i++) await workspace.send(TEXT);
      await age(workspace, 8);
    }
    const poisoned = await Promise.all(workspaces.map(async (workspace) => (await messageRows(workspace))[3]?.id));
    await onRows((sql) =>
      sql.unsafe(`
        create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
        create trigger refuse before update on messages for each row
          when (old.id in ('${poisoned.join("', '")}') and new.request is null) execute function refuse()`),
    );
    expect((await sweep()).status).toBe(500);
    for (const workspace of workspaces) {
      const left = (await contentsOf(workspace)).map((content) => content !== null);
      expect(left).toEqual([false, false, false, true, ...Array(6).fill(false)]);
    }
    await onRows((sql) => sql.unsafe("drop trigger refuse on messages; drop function refuse"));
    expect((await sweep()).status).toBe(200);
    for (const workspace of workspaces) expect(new Set(await contentsOf(workspace))).toEqual(new Set([null]));
  });

  test("removes more than one statement could in its time", async () => {
    // A disk that needs a third of a millisecond for a row; a statement is given three seconds.
    await onRows(
      (sql) => sql`
        create function be_slow() returns trigger language plpgsql
        as 'begin perform pg_sleep(0.0003); return old; end'`,
    );
    await onRows(
      (sql) => sql`
        create trigger be_slow before delete on unhandled_webhooks for each row when (old.reason = 'test')
        execute function be_slow()`,
    );
    onTestFinished(async () => {
      await onRows((sql) => sql`drop function be_slow() cascade`);
    });
    await onRows(
      (sql) => sql`
        insert into unhandled_webhooks (id, reason, body, received_at)
        select 'wh_' || n, 'test', '', now() - interval '8 days' from generate_series(1, 9000) n`,
    );
    expect((await sweep()).status).toBe(200);
    // The server's own pass may be at the last of them.
    const left = () => onRows((sql) => sql`select id from unhandled_webhooks where id ~ '^wh_[0-9]+$'`);
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  });
});
