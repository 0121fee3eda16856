import { describe, expect, vi } from "vitest";
import { MAX_LISTENERS } from "@/db/schema";
import { provenWorkspaceId } from "@/lib/core/principal";
import { sendTestEvent } from "@/lib/outgoing/change-endpoint";
import { findDelivery } from "@/lib/outgoing/delivery-queries";
import { callListen, eventOf, listeningOf, result, startSession } from "../../support/listener";
import { addEndpoint, receiverOfTest, verified } from "../../support/receiver";
import { sql } from "../../support/rows";
import { sweep } from "../../support/sweep";
import { testIn } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const TO_READ = "447700900003";
const TYPES = ["message.sent", "message.delivered", "message.read"];

/** `session` has one test event to take. */
const test = testIn({ mode: "test", extraKeys: ["second"] }).extend("session", async ({ workspace }) => {
  const session = await startSession(workspace);
  await sendTestEvent(provenWorkspaceId(workspace.workspaceId), session.listener);
  return session;
});

const sendOne = async (workspace: TestWorkspace): Promise<string> =>
  (await workspace.send({ type: "text", phone: TO_READ, content: "Hi" })).body.data.id;

async function rowOf(deliveryId: string) {
  const [row] = await sql<
    { state: string; attempts: number; wait: number; response: string | null; failure: string | null }[]
  >`
      select d.state, d.attempts, extract(epoch from d.next_attempt_at - now())::float8 as wait, a.response, a.failure
      from webhook_deliveries d left join webhook_attempts a on a.workspace_id = d.workspace_id and a.delivery_id = d.id
      where d.id = ${deliveryId} order by a.number desc limit 1`;
  return row;
}

async function failureAt({ listener }: { listener: string }) {
  const [attempt] = await sql<{ failure: string }[]>`
    select a.failure from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
    where d.endpoint_id = ${listener}`;
  return attempt?.failure;
}

describe("200", () => {
  test("the events of a message are taken in order, one when the one before is reported, and signed with the session's secret", async ({
    workspace,
  }) => {
    const session = await startSession(workspace);
    const id = await sendOne(workspace);
    const types: string[] = [];
    let results: unknown[] = [];
    await vi.waitFor(
      async () => {
        const taken = await session.take({ results });
        results = [];
        expect(taken.length).toBeLessThanOrEqual(1);
        for (const delivery of taken) {
          expect(await session.take()).toEqual([]);
          const { headers, body } = delivery;
          expect(verified({ ...EMPTY, headers, body }, session.secret)).toMatchObject({ data: { id } });
          types.push(eventOf(delivery).type);
          results.push(result(delivery, 200));
        }
        expect(types).toEqual(TYPES);
      },
      { timeout: 15_000, interval: 100 },
    );
  });

  test("the secret is the key's: the same in its next session, and not that of another key", async ({ workspace }) => {
    const [one, again] = [await startSession(workspace), await startSession(workspace)];
    const other = await startSession(workspace, { key: workspace.keys.second ?? null });
    expect(again.secret).toBe(one.secret);
    expect(other.secret).not.toBe(one.secret);
    expect(one.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  test("nothing is posted to the URL: a delivery waits until its computer asks", async ({ workspace }) => {
    const receiver = await receiverOfTest();
    const posted = await addEndpoint(workspace, receiver);
    const { listener } = listeningOf(await callListen(workspace, { forwardTo: receiver.url }));
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const waiting = await sendTestEvent(workspaceId, listener);
    const sent = await sendTestEvent(workspaceId, posted.id);
    await expect.poll(async () => (await rowOf(sent))?.state, { timeout: 10_000 }).toBe("DELIVERED");
    expect(receiver.received.map(({ id }) => id)).toEqual([sent]);
    expect(await rowOf(waiting)).toMatchObject({ state: "PENDING", attempts: 0 });
    const [taken] = listeningOf(await callListen(workspace, { listener })).deliveries;
    expect(taken).toMatchObject({ id: waiting, attempt: 1 });
  });

  test("a failure is retried after every delivery's pauses, and stored with what was said", async ({ session }) => {
    const taken = await session.takeOne();
    expect(await session.take({ results: [result(taken, 500, { response: "broken" })] })).toEqual([]);
    const failed = await rowOf(taken.id);
    expect(failed).toMatchObject({ state: "PENDING", attempts: 1, response: "broken" });
    expect(failed?.wait).toBeGreaterThan(1);
    await sql`update webhook_deliveries set next_attempt_at = now() where id = ${taken.id}`;
    const [again] = await session.take();
    expect(again).toMatchObject({ id: taken.id, attempt: 2, body: taken.body });
    await session.take({
      results: [result(taken, 200), { ...result({ ...taken, attempt: 2 }, null), failure: "refused" }],
    });
    expect(await rowOf(taken.id)).toMatchObject({ state: "PENDING", attempts: 2, failure: "refused" });
  });

  test("what is not reported within its lease is handed out again; a late report changes nothing", async ({
    session,
  }) => {
    const lost = await session.takeOne();
    await sql`update webhook_deliveries set next_attempt_at = now(), leased_until = now() where id = ${lost.id}`;
    const [again] = await session.take();
    expect(again).toMatchObject({ id: lost.id, attempt: 2 });
    await session.take({ results: [result(lost, 200)] });
    expect(await rowOf(lost.id)).toMatchObject({ state: "PENDING", attempts: 2 });
    await session.take({ results: [result({ id: lost.id, attempt: 2 }, 204)] });
    expect(await rowOf(lost.id)).toMatchObject({ state: "DELIVERED", attempts: 2 });
  });

  test("a report says nothing of another endpoint's or workspace's delivery", async ({ workspace, session }) => {
    const taken = await session.takeOne();
    for (const stranger of [await provisionWorkspace({ mode: "test" }), workspace]) {
      await (await startSession(stranger)).take({ results: [result(taken, 200)] });
      expect(await rowOf(taken.id)).toMatchObject({ state: "PENDING", attempts: 1 });
    }
  });

  test("an attempt that was not made leaves no trace in the history, the state or a pause", async ({ session }) => {
    const taken = await session.takeOne();
    const { id } = taken;
    const forged = [7, 2, 1_000_000].map((attempt) => result({ id, attempt }, 410));
    await session.take({ results: forged });
    await session.take({ results: [result({ id, attempt: 1 }, 410), result(taken, 200), result(taken, 204)] });
    const history =
      await sql`select number, status_code from webhook_attempts where delivery_id = ${id} order by number`;
    expect(history.map((row) => ({ ...row }))).toEqual([{ number: 1, status_code: 204 }]);
    expect(await rowOf(id)).toMatchObject({ state: "DELIVERED", attempts: 1 });
    expect(listeningOf(await session.ask())).toMatchObject({ pausedBy: null });
  });

  test("410 pauses the session, which says so", async ({ session }) => {
    const taken = await session.takeOne();
    await session.take({ results: [result(taken, 410)] });
    expect(listeningOf(await session.ask())).toMatchObject({ pausedBy: "gone", deliveries: [] });
  });

  test("a secret that no key opens fails the attempt, in words, and not the call", async ({ session }) => {
    await sql`update webhook_endpoints set secret = 'v1.00000000.none' where id = ${session.listener}`;
    expect(await session.take()).toEqual([]);
    expect(await failureAt(session)).toContain("cannot be decrypted with any configured ENCRYPTION_KEY");
  });

  test("an event whose message was deleted by hand fails its attempt, in words, and neither the call nor its page", async ({
    workspace,
    session,
  }) => {
    const { workspaceId } = workspace;
    await sql`
      update webhook_deliveries set type = 'message.sent', subject_id = 'msg_gone', snapshot = '{"status":"SENT"}'
      where endpoint_id = ${session.listener}`;
    expect(await session.take()).toEqual([]);
    expect(await failureAt(session)).toBe("The message was deleted from the database.");
    const [delivery] = await sql<{ id: string }[]>`
      select id from webhook_deliveries where endpoint_id = ${session.listener}`;
    const shown = await findDelivery(provenWorkspaceId(workspaceId), session.listener, delivery?.id ?? "");
    expect(shown).toMatchObject({ body: null, history: [{ number: 1 }] });
  });

  test("takes no more than the places that are free", async ({ workspace, session }) => {
    for (let i = 0; i < 3; i++) await sendTestEvent(provenWorkspaceId(workspace.workspaceId), session.listener);
    expect(await session.take({ underWay: 16 })).toEqual([]);
    expect(await session.take({ underWay: 14 })).toHaveLength(2);
  });
});

describe("400", () => {
  test("each fault is named", async ({ workspace }) => {
    const reporting = (...results: unknown[]) => ({ listener: "whe_1", results });
    for (const [body, named] of [
      [[], "must be"],
      [{ listner: "whe_1" }, "Did you mean `listener`?"],
      [{ results: [{ status_code: 200 }] }, "Did you mean `statusCode`?"],
      [{ listener: "whe_\u0000" }, "listener"],
      [{ computer: "\ud800" }, "computer"],
      [{ forwardTo: "http://a:b@localhost/" }, "without a user name or password"],
      [reporting(result({ id: "whd_1", attempt: 1 }, 200, { response: "x".repeat(5_000) })), "response"],
      [reporting(result({ id: "whd_1", attempt: 1 }, 20)), "statusCode"],
      [reporting(...Array.from({ length: 9 }, () => result({ id: "w", attempt: 1 }, 200))), "results"],
    ] as const) {
      const answer = await callListen(workspace, body);
      expect([answer.status, answer.body.error], named).toEqual([400, "VALIDATION_ERROR"]);
      expect(JSON.stringify(answer.body.details.issues)).toContain(named);
    }
  });

  test(`a computer beyond ${MAX_LISTENERS} is refused, until one ends or was silent for a minute`, async ({
    workspace,
  }) => {
    const sessions = await Promise.all(Array.from({ length: MAX_LISTENERS }, () => startSession(workspace)));
    const full = await callListen(workspace, {});
    expect(full.status).toBe(400);
    expect(full.body.message).toContain(`This workspace has ${MAX_LISTENERS} \`listen\` sessions`);
    expect((await sessions[0]?.end())?.status).toBe(200);
    expect((await callListen(workspace, {})).status).toBe(200);
    expect((await callListen(workspace, {})).status).toBe(400);
    await sql`
      update webhook_endpoints set listens_until = now() - interval '1 second' where id = ${sessions[1]?.listener ?? ""}`;
    expect((await callListen(workspace, {})).status).toBe(200);
  });

  test("computers take no place of an endpoint, nor endpoints of a computer", async ({ workspace }) => {
    for (let i = 0; i < MAX_LISTENERS; i++) await startSession(workspace);
    for (let i = 0; i < 5; i++) await addEndpoint(workspace, { url: "https://example.com/hook" });
    await expect(addEndpoint(workspace, { url: "https://example.com/hook" })).rejects.toThrow("has 5 test endpoints");
  });
});

describe("403", () => {
  test("a live key is refused in words that name the fix", async ({ other }) => {
    const { status, body } = await callListen(other, {});
    expect({ status, error: body.error }).toEqual({ status: 403, error: "FORBIDDEN" });
    expect(body.message).toContain("Send a test key");
  });
});

describe("429", () => {
  test("a key that begins and ends sessions all the time is stopped; what listens goes on", async ({ workspace }) => {
    const lasting = await startSession(workspace);
    for (let i = 0; i < 59; i++) await (await startSession(workspace)).end();
    const refused = await callListen(workspace, {});
    expect({ status: refused.status, error: refused.body.error }).toEqual({
      status: 429,
      error: "RATE_LIMIT_EXCEEDED",
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await lasting.ask()).status).toBe(200);
  });
});

describe("404", () => {
  test("a session that has ended takes nothing, and no event is stored for it", async ({ workspace, session }) => {
    expect((await session.end()).status).toBe(200);
    expect(await session.ask()).toMatchObject({ status: 404, body: { details: { endedBy: "member" } } });
    const id = await sendOne(workspace);
    await expect.poll(async () => (await workspace.status(id)).body.data.status, { timeout: 10_000 }).toBe("READ");
    expect(await sql`select from webhook_deliveries where subject_id = ${id}`).toHaveLength(0);
  });

  test("a sweep ends a session that was silent for a minute, and leaves the others", async ({ workspace }) => {
    const [silent, lasting] = [await startSession(workspace), await startSession(workspace)];
    await sql`
      update webhook_endpoints set listens_until = now() - interval '1 second' where id = ${silent.listener}`;
    await sweep();
    const ended = await silent.ask();
    expect(ended.status).toBe(404);
    expect(ended.body.details).not.toHaveProperty("endedBy");
    expect((await lasting.ask()).status).toBe(200);
  });

  test("an end without a session begins none", async ({ workspace }) => {
    expect((await callListen(workspace, { isEnding: true })).status).toBe(404);
    expect(await sql`select from webhook_endpoints where workspace_id = ${workspace.workspaceId}`).toHaveLength(0);
  });

  test("a session is of its workspace, and an endpoint is no session", async ({ workspace }) => {
    const { listener } = await startSession(workspace);
    expect((await callListen(await provisionWorkspace({ mode: "test" }), { listener })).status).toBe(404);
    const endpoint = await addEndpoint(workspace, { url: "https://example.com/hook" });
    expect((await callListen(workspace, { listener: endpoint.id })).status).toBe(404);
  });
});

const EMPTY = {
  id: "",
  event: { type: "", timestamp: "", sequence: 1, data: { id: "", status: "" } },
  path: "",
  atMs: 0,
};
