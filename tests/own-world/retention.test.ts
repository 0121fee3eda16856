import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { getTableColumns } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import postgres from "postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { messageQuarters } from "@/db/schema";
import { currentSeal, encrypt } from "@/lib/core/crypto";
import { REMOVED_REASON } from "@/lib/core/phone";
import { purgeContents } from "@/lib/messages/list/purge-contents";
import { decryptSecret } from "@/lib/outgoing/signed-request";
import { printed, runCommand } from "../support/commands";
import { startInstance, testServers } from "../support/environment";
import { forSuite } from "../support/for-suite";
import { freshAddress } from "../support/limits";
import { startOwnDatabase } from "../support/own-database";
import { ENCRYPTION_ROTATE, serverEnvironment, startProgram } from "../support/programs";
import { addEndpoint } from "../support/receiver";
import { whileLocked } from "../support/row-lock";
import { changesBetween, eventRaws, messageRows, snapshot, sql } from "../support/rows";
import { expectError, PHONE, sentBodies } from "../support/sends";
import { sweep } from "../support/sweep";
import { inboundWebhook } from "../support/webhooks";
import {
  type Answer,
  platformRequests,
  postWebhook,
  provisionWorkspace,
  request,
  scriptPlatform,
  statusWebhook,
  type TestWorkspace,
} from "../support/workspace";

const own = forSuite(() => startOwnDatabase({ MESSAGE_RETENTION_DAYS: "7" }, "API"));

// First, because it counts every token of the database.
describe("secrets of the deployment", () => {
  const TEXT = { type: "text", phone: PHONE, content: "Hello" };
  const newSecret = () => randomBytes(32).toString("base64url");
  const secrets = { encryptionKey: newSecret(), pepper: newSecret() };

  type Counts = { resealed: number; alreadyCurrent: number; unreadable: number };
  type Instance = Awaited<ReturnType<typeof startInstance>>;

  /** A server that knows the old secrets and the new ones, and one that knows the new ones alone. */
  const newPair = { ENCRYPTION_KEY: secrets.encryptionKey, KEY_PEPPER: secrets.pepper };
  const both = forSuite(() => {
    const { ENCRYPTION_KEY = "", KEY_PEPPER = "" } = testServers().environment;
    const previous = { ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY, KEY_PEPPER_PREVIOUS: KEY_PEPPER };
    return startInstance({ ...newPair, ...previous }, "API");
  });
  const after = forSuite(() => startInstance(newPair, "API"));

  /** What the command is given: the new key, and the old one while it is still needed. */
  const keysOf = () => ({
    ENCRYPTION_KEY: secrets.encryptionKey,
    ENCRYPTION_KEY_PREVIOUS: testServers().environment.ENCRYPTION_KEY,
  });
  const rotateEncryption = () => runCommand(ENCRYPTION_ROTATE, [], keysOf());

  const sendTo = (
    { baseUrl }: Instance,
    workspace: TestWorkspace,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    request("POST", `${baseUrl}/api/v1/public/messages/send`, {
      headers: {
        "content-type": "application/json",
        apiKey: workspace.apiKey,
        apiSecret: workspace.apiSecret,
        "x-forwarded-for": freshAddress(),
        ...headers,
      },
      body: JSON.stringify({ ...TEXT, phoneNumberId: workspace.phoneNumberId }),
    });

  const tokenOf = async (phoneNumberId: string): Promise<string> => {
    const [row] = await sql<
      { token: string }[]
    >`select access_token as token from phone_numbers where id = ${phoneNumberId}`;
    return row?.token ?? "";
  };
  const isCurrent = (token: string) => token.startsWith(currentSeal([secrets.encryptionKey]));

  describe("the encryption key", () => {
    test("is replaced under a load of sends, of which none fails; then the old one is not needed any more", async () => {
      const lines = Array.from({ length: 55 }, (_, i) => ({ ref: `line${i}`, accessToken: `EAAtoken${i}` }));
      const workspaces = await Promise.all([0, 1].map(() => provisionWorkspace({ lines })));
      const [workspace] = workspaces;
      if (!workspace) throw new Error("none was made");
      const endpoint = await addEndpoint(workspace, { url: "https://example.com/hook", mode: "live" });
      expect((await sendTo(both, workspace)).status).toBe(201);
      expect((await sendTo(after, workspace)).status).toBe(500);

      const answers: Answer[] = [];
      let isOver = false;
      const clients = workspaces.flatMap((one) =>
        [1, 2].map(async () => {
          while (!isOver) answers.push(await sendTo(both, one));
        }),
      );
      while (answers.length < 10) await sleep(20);
      const counts = printed<Counts>(await rotateEncryption());
      const during = answers.length;
      while (answers.length < during + 10) await sleep(20);
      isOver = true;
      await Promise.all(clients);

      expect(counts).toEqual({ resealed: 111, alreadyCurrent: 0, unreadable: 0 });
      expect(during).toBeGreaterThan(15);
      expect(answers.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
      const calls = await platformRequests(workspace.whatsappPhoneNumberId, "messages");
      expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer EAAtoken0"]));
      expect(printed<Counts>(await rotateEncryption())).toEqual({ resealed: 0, alreadyCurrent: 111, unreadable: 0 });
      expect((await rowsLeft()).length).toBe(0);
      const [stored] = await sql<{ secret: string }[]>`select secret from webhook_endpoints`;
      const sealed = { workspaceId: workspace.workspaceId, id: endpoint.id };
      expect(decryptSecret(stored?.secret ?? "", sealed, [secrets.encryptionKey])).toBe(endpoint.secret);
      expect((await sendTo(after, workspace)).status).toBe(201);
    });

    test("a token that is replaced at the same time stays the new one", async () => {
      const workspace = await provisionWorkspace();
      const { workspaceId, phoneNumberId } = workspace;
      const place = `${workspaceId}/${phoneNumberId}`;
      const { ENCRYPTION_KEY = "" } = testServers().environment;
      let program: ReturnType<typeof startProgram> | undefined;
      await sql
        .begin(async (tx) => {
          const sealed = encrypt("EAAnewer", place, [ENCRYPTION_KEY]);
          await tx`update phone_numbers set access_token = ${sealed} where id = ${phoneNumberId}`;
          program = startProgram(ENCRYPTION_ROTATE, serverEnvironment(keysOf()));
          // Until the command waits for this row, having read what stood there before.
          const waiting = () =>
            tx`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
          const deadline = Date.now() + 2_000;
          while ((await waiting()).length === 0 && Date.now() < deadline) await sleep(20);
        })
        .catch((error: unknown) => error);
      expect(await program?.exited).toBe(0);
      const token = await tokenOf(phoneNumberId);
      expect(isCurrent(token)).toBe(true);
      const answer = await sendTo(both, workspace);
      expect(answer.status, answer.text).toBe(201);
      const calls = await platformRequests(workspace.whatsappPhoneNumberId, "messages");
      expect(calls.at(-1)?.headers.authorization).toBe("Bearer EAAnewer");
    });

    test("a token that no key opens is named, left as it is, and stops nothing", async () => {
      const [broken, sound] = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
      const sealed = encrypt("EAAlost", `${broken.workspaceId}/${broken.phoneNumberId}`, [newSecret()]);
      await sql`update phone_numbers set access_token = ${sealed} where id = ${broken.phoneNumberId}`;
      const { exitCode, stdout, stderr } = await rotateEncryption();
      expect(exitCode).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ unreadable: 1 });
      expect(stderr).toContain(`${broken.workspaceId}/${broken.phoneNumberId}`);
      expect(stderr).not.toContain("EAA");
      expect(await tokenOf(broken.phoneNumberId)).toBe(sealed);
      expect(isCurrent(await tokenOf(sound.phoneNumberId))).toBe(true);
    });
  });

  describe("the pepper", () => {
    const statusAt = async ({ baseUrl }: Instance, { apiKey, apiSecret }: { apiKey: string; apiSecret: string }) =>
      (
        await request("GET", `${baseUrl}/api/v1/public/templates`, {
          headers: { apiKey, apiSecret, "x-forwarded-for": freshAddress() },
        })
      ).status;

    test("secrets under the previous one work and move to the current one with their first use", async () => {
      const workspace = await provisionWorkspace({ extraKeys: ["unused"] });
      const unused = workspace.keys.unused ?? workspace;
      expect(await statusAt(after, workspace)).toBe(401);
      expect(await Promise.all([1, 2, 3, 4].map(() => statusAt(both, workspace)))).toEqual([200, 200, 200, 200]);
      expect([await statusAt(after, workspace), await statusAt(after, unused)]).toEqual([200, 401]);
      expect([await statusAt(both, unused), await statusAt(after, unused)]).toEqual([200, 200]);
    });

    test("a secret in its overlap moves, too, and does not take the current one's place", async () => {
      const workspace = await provisionWorkspace();
      const { apiKey } = workspace;
      await sql`
      update api_keys set previous_secret_hash = secret_hash, previous_secret_ends_at = now() + interval '1 hour',
        secret_hash = sha256('another') where api_key = ${apiKey}`;
      const currentHash = () => sql`select secret_hash from api_keys where api_key = ${apiKey}`;
      const before = await currentHash();
      expect([await statusAt(both, workspace), await statusAt(after, workspace)]).toEqual([200, 200]);
      expect(await currentHash()).toEqual(before);
    });

    test("a wrong secret moves nothing", async () => {
      const workspace = await provisionWorkspace();
      const wrong = { ...workspace, apiSecret: `${workspace.apiSecret}x` };
      expect([await statusAt(both, wrong), await statusAt(after, workspace)]).toEqual([401, 401]);
    });
  });

  /** Tokens that are not under the new key. */
  const rowsLeft = async (): Promise<string[]> => {
    const rows = await sql<{ token: string }[]>`select access_token as token from phone_numbers`;
    return rows.map(({ token }) => token).filter((token) => !isCurrent(token));
  };
});

describe("contents", () => {
  const WORDS = "the secret of the heron";
  const TEXT = { type: "text", phone: PHONE, content: WORDS };
  const KEY = { "Idempotency-Key": "k" };
  const QUOTING = [{ code: 131026, title: "Undeliverable", error_data: { details: `Not sent: ${WORDS}` } }];

  /** As if everything in the workspace had been sent so many days ago, and nothing been purged since. */
  const age = ({ workspaceId }: TestWorkspace, days: number) => sql`
    with again as (update workspaces set contents_purged_until = null where id = ${workspaceId})
    update messages set created_at = created_at - make_interval(days => ${days}) where workspace_id = ${workspaceId}`;

  const contentsOf = ({ workspaceId }: TestWorkspace): Promise<(string | null)[]> =>
    sql<{ request: string | null }[]>`
    select request from messages where workspace_id = ${workspaceId} order by created_at, id`.then((rows) =>
      rows.map(({ request }) => request),
    );

  const textOf = async (workspace: TestWorkspace): Promise<string> => {
    const events =
      await sql`select to_json(e)::text as row from status_events e where workspace_id = ${workspace.workspaceId}`;
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
        sql`update workspaces set retention_days = ${count} where id = ${workspaceId}`;
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

    test("stay where an owner extends the retention after a pass has found them due, before it removes them", async () => {
      const workspace = await provisionWorkspace();
      await workspace.send(TEXT);
      let pass: Promise<number> | undefined;
      await sql.begin(async (tx) => {
        // Reads pass; row locks wait. Aged under it, so that no other pass comes first.
        await tx`lock table workspaces in exclusive mode`;
        await sql`
          update messages set created_at = created_at - interval '8 days' where workspace_id = ${workspace.workspaceId}`;
        pass = purgeContents({ defaultDays: 7 });
        await expect
          .poll(
            () => sql`
              select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'from workspaces.*for no key update'`,
          )
          .not.toHaveLength(0);
        await tx`update workspaces set retention_days = 30 where id = ${workspace.workspaceId}`;
      });
      await pass;
      expect(await contentsOf(workspace)).toEqual([expect.stringContaining(WORDS)]);
    });

    test("of more messages than a batch go in one pass, and passes at the same time do no harm", async () => {
      const workspaces = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
      for (const workspace of workspaces) {
        const { id } = (await workspace.send(TEXT)).body.data;
        await sql`
        insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, request, fingerprint,
          phase, status, lease_expires_at, created_at)
        select workspace_id, id || n, mode, phone_number_id, contact_id, phone, type, request, fingerprint,
          phase, status, now(), case when n <= 700 then created_at else created_at + make_interval(secs => n * 0.001) end
        from messages, generate_series(1, 1300) n where workspace_id = ${workspace.workspaceId} and id = ${id}`;
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
      expect(await sentBodies(workspace)).toHaveLength(1);
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
      expect(await sentBodies(workspace)).toHaveLength(1);
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
      const codes = await sql`
      select failure_code as code, failure_reason as reason from status_events where workspace_id = ${workspace.workspaceId}`;
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
        expect((await workspace.status(id)).body.data).toMatchObject({
          status: "FAILED",
          failureReason: REMOVED_REASON,
        });
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
      await sql`update messages set whatsapp_message_id = 'wamid.EARLY' where id = ${id}`;
      await sweep();
      expect((await workspace.status(id)).body.data).toMatchObject({ status: "FAILED", failureReason: REMOVED_REASON });
      expect(await textOf(workspace)).not.toContain(WORDS);
    });
  });

  describe("a pass of the sweeper", () => {
    /** Runs `act` before each `event` of these rows, until the returned function is called or the test is over. */
    const beforeEachRow = async (
      event: "update" | "delete",
      table: string,
      { when, act }: Record<"when" | "act", string>,
    ) => {
      await sql.unsafe(`
        create function met() returns trigger language plpgsql as 'begin ${act.replaceAll("'", "''")}; return old; end';
        create trigger met before ${event} on ${table} for each row when (${when}) execute function met()`);
      const end = async () => void (await sql`drop function if exists met() cascade`);
      onTestFinished(end);
      return end;
    };
    const REFUSED = "raise exception 'refused'";
    /** On a busy machine a pause of a millisecond takes several, so only every other row has one. */
    const SLOW = "perform pg_sleep(0.001)";

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
      const when = `old.id in ('${poisoned.join("', '")}') and new.request is null`;
      const end = await beforeEachRow("update", "messages", { when, act: REFUSED });
      expect((await sweep()).status).toBe(500);
      for (const workspace of workspaces) {
        const left = (await contentsOf(workspace)).map((content) => content !== null);
        expect(left).toEqual([false, false, false, true, ...Array(6).fill(false)]);
      }
      await end();
      expect((await sweep()).status).toBe(200);
      for (const workspace of workspaces) expect(new Set(await contentsOf(workspace))).toEqual(new Set([null]));
    });

    test("a workspace whose events cannot be emptied keeps no other from its turn, and loses no message of its own to it", async () => {
      const [first, second] = [await provisionWorkspace(), await provisionWorkspace()];
      for (const workspace of [first, second]) {
        await addEndpoint(workspace, { url: "https://example.com/hook", mode: "live", events: ["message.received"] });
        await workspace.send(TEXT);
        await postWebhook(inboundWebhook(workspace, [{ from: PHONE, text: { body: WORDS } }]));
        await age(workspace, 8);
      }
      const ids = [first, second].map(({ workspaceId }) => workspaceId);
      await sql`
        update webhook_deliveries set created_at = created_at - interval '8 days' where workspace_id in ${sql(ids)}`;
      // The one that is looked at first.
      const when = `old.workspace_id = '${ids.toSorted()[0]}' and new.snapshot <> old.snapshot`;
      const end = await beforeEachRow("update", "webhook_deliveries", { when, act: REFUSED });
      const left = async () => [...(await contentsOf(first)), ...(await contentsOf(second))].map(Boolean);
      expect((await sweep()).status).toBe(500);
      expect((await left()).filter(Boolean)).toHaveLength(1);
      await end();
      expect((await sweep()).status).toBe(200);
      expect(await left()).toEqual([false, false]);
    });

    test("removes more than one statement could in its time", async () => {
      // A disk that needs a millisecond for a row; a statement is given three seconds.
      await beforeEachRow("delete", "webhook_notices", {
        when: "old.reason = 'test' and old.id ~ '[02468]$'",
        act: SLOW,
      });
      await sql`
      insert into webhook_notices (id, kind, reason, at)
      select 'wh_' || n, 'verified', 'test', now() - interval '8 days' from generate_series(1, 9000) n`;
      expect((await sweep()).status).toBe(200);
      // The server's own pass may be at the last of them.
      const left = () => sql`select id from webhook_notices where id ~ '^wh_[0-9]+$'`;
      await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    });

    test("empties the table of unused webhooks, which servers of 0.6 write, and no erasure looks through", async () => {
      await sql`insert into unhandled_webhooks (id, reason, body) values ('wh_former', 'x', ${PHONE})`;
      expect((await sweep()).status).toBe(200);
      // The server's own pass may be at it.
      const left = () => sql`select id from unhandled_webhooks`;
      await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    });

    /** A deleted workspace with as many contacts. */
    const deletedWorkspace = async (contacts: number) => {
      const { workspaceId } = await provisionWorkspace();
      await sql`
      insert into contacts (workspace_id, id, phone)
      select ${workspaceId}, 'ct_' || n, (447700200000 + n)::text from generate_series(1, ${contacts}::int) n`;
      await sql`delete from members where workspace_id = ${workspaceId}`;
      await sql`update workspaces set ref = null where id = ${workspaceId}`;
      const leftOf = async () => {
        const left = await sql`select id from contacts where workspace_id = ${workspaceId}`;
        return left.map(({ id }) => String(id));
      };
      const isThere = async () => (await sql`select id from workspaces where id = ${workspaceId}`).length > 0;
      return { workspaceId, leftOf, isThere };
    };

    test("removes a large deleted workspace in several: counts, alerts and a small one that is deleted do not wait for all of it", async () => {
      const { workspaceId, leftOf, isThere } = await deletedWorkspace(15_000);
      const small = await deletedWorkspace(3);
      const when = `old.workspace_id = '${workspaceId}' and old.id ~ '[02468]$'`;
      const end = await beforeEachRow("delete", "contacts", { when, act: SLOW });
      expect((await sweep()).status).toBe(200);
      const left = await leftOf();
      await end();
      expect(left.length).toBeGreaterThan(0);
      expect(await small.isThere()).toBe(false);
      const untilGone = async () => {
        await sweep();
        return isThere();
      };
      await expect.poll(untilGone, { timeout: 20_000 }).toBe(false);
    });

    test("removes a deleted workspace with more counts than one statement could in its time", async () => {
      const { workspaceId, isThere } = await deletedWorkspace(0);
      const blank = Object.fromEntries(
        Object.keys(getTableColumns(messageQuarters)).map((name) => [toSnakeCase(name), ""]),
      );
      const same = { ...blank, workspace_id: workspaceId, mode: "live", status: "SENT", type: "text", count: 1 };
      await sql`
      insert into messages_by_quarter select (jsonb_populate_record(null::messages_by_quarter, ${JSON.stringify(same)}::text::jsonb
        || jsonb_build_object('starts_at', date_trunc('hour', now()) - make_interval(hours => n / 50), 'failure_code', n % 50)
      )).* from generate_series(1, 6000) n`;
      const when = `old.workspace_id = '${workspaceId}' and old.failure_code % 2 = 0`;
      await beforeEachRow("delete", "messages_by_quarter", { when, act: SLOW });
      const untilGone = async () => {
        expect((await sweep()).status).toBe(200);
        return isThere();
      };
      await expect.poll(untilGone, { timeout: 20_000 }).toBe(false);
    });

    test("passes over the rows of a deleted workspace that someone holds, and keeps it until they are gone", async () => {
      const { leftOf, isThere } = await deletedWorkspace(1_500);
      const left = await whileLocked(
        "ct_700",
        async () => {
          expect((await sweep()).status).toBe(200);
          return [await isThere(), ...(await leftOf())];
        },
        "contacts",
      );
      expect(left).toEqual([true, "ct_700"]);
      expect((await sweep()).status).toBe(200);
      await expect.poll(isThere, { timeout: 10_000 }).toBe(false);
    });
  });
});
