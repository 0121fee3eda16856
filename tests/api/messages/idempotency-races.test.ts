import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { statuses } from "../../support/limits";
import type { ScriptedAnswer } from "../../support/platform";
import { abandon, messageRows, planUnits, sql } from "../../support/rows";
import { callsOf, expectReplay, expectSent, KEY, TEXT } from "../../support/sends";
import { test } from "../../support/test";
import {
  type Answer,
  graphError,
  provisionWorkspace,
  scriptMessages,
  type TestWorkspace,
} from "../../support/workspace";

/** The first has claimed its key, however long that took, and WhatsApp does not answer yet. */
const untilCalled = (workspace: TestWorkspace) =>
  expect.poll(() => callsOf(workspace), { timeout: 10_000 }).toHaveLength(1);

/**
 * Racers come from addresses of their own, as the limit of one address is no part of the race, and repeat a 503: of hundreds
 * at once a busy machine turns away who has waited for a second.
 */
const race = (count: number, racer: (index: number, headers: Record<string, string>) => Promise<Answer>) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      untilServed(() => racer(index, { ...KEY, "x-forwarded-for": `203.0.113.${index % 200}` })),
    ),
  );
const untilServed = async (call: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    await sleep(Number(answer.headers.get("retry-after")) * 1_000);
  }
};

describe("at most once", () => {
  test("200 racers with one key and body are one call and one message", async ({ workspace }) => {
    const answers = await race(200, (_, headers) => workspace.send(TEXT, headers));
    expect(statuses(answers)).toEqual({ 200: 199, 201: 1 });
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.data.idempotentReplay)).toHaveLength(199);
    expect(await callsOf(workspace)).toHaveLength(1);
    expect(await messageRows(workspace)).toHaveLength(1);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
  });

  test("of racers with different bodies one body wins, and the others are 409", async ({ workspace }) => {
    const answers = await race(60, (index, headers) =>
      workspace.send({ ...TEXT, content: `Body ${index % 3}` }, headers),
    );
    expect(statuses(answers)).toEqual({ 200: 19, 201: 1, 409: 40 });
    const winner = answers.findIndex(({ status }) => status === 201) % 3;
    answers.forEach(({ status }, index) => {
      expect(status === 409).toBe(index % 3 !== winner);
    });
    const calls = await callsOf(workspace);
    expect(calls.map(({ body }) => JSON.parse(body).text.body)).toEqual([`Body ${winner}`]);
  });

  test("first sends of 40 racers to one new number make one contact", async ({ workspace }) => {
    const answers = await race(40, (index, headers) =>
      workspace.send(TEXT, { ...headers, "Idempotency-Key": `own-${index}` }),
    );
    expect(statuses(answers)).toEqual({ 201: 40 });
    const [row] = await sql`
        select count(distinct contact_id)::int as used, (
          select count(*)::int from contacts where workspace_id = ${workspace.workspaceId}) as contacts
        from messages where workspace_id = ${workspace.workspaceId}`;
    expect(row).toEqual({ used: 1, contacts: 1 });
  });
});

describe("while the first is in flight", () => {
  test("a second waits for its outcome, up to 2 s", async ({ workspace }) => {
    await scriptMessages(workspace, [{ delayMs: 1_000 }]);
    const first = workspace.send(TEXT, KEY);
    await untilCalled(workspace);
    const second = await workspace.send(TEXT, KEY);
    expectSent(await first);
    expect(second.status).toBe(200);
    expect(second.body.data).toEqual({ ...(await first).body.data, idempotentReplay: true });
    expect(await callsOf(workspace)).toHaveLength(1);
  });

  test("an owner whose row was taken over before it could write its end answers the row, as a replay", async () => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, [{ delayMs: 1_000, ...graphError(131016) }]);
    const first = workspace.send(TEXT, KEY);
    await untilCalled(workspace);
    const { workspaceId } = workspace;
    await sql`update messages set fencing_token = fencing_token + 1 where workspace_id = ${workspaceId}`;
    const [{ id } = { id: undefined }] = await messageRows(workspace);
    expectReplay(await first, id, "PENDING", null);
  });

  test("after 2 s a second answers PENDING, and WhatsApp is called once", async ({ workspace }) => {
    await scriptMessages(workspace, [{ delayMs: 5_000 }]);
    const first = workspace.send(TEXT, KEY);
    await untilCalled(workspace);
    const startedAtMs = performance.now();
    const second = await workspace.send(TEXT, KEY);
    const ms = performance.now() - startedAtMs;
    expect(ms).toBeGreaterThan(1_900);
    expectReplay(second, second.body.data.id, "PENDING", null);
    const conflict = await workspace.send({ ...TEXT, content: "Other" }, KEY);
    expect(conflict.status).toBe(409);
    expectSent(await first);
    expect((await first).body.data.id).toBe(second.body.data.id);
    expect(await callsOf(workspace)).toHaveLength(1);
  });
});

describe("after a refusal", () => {
  test("a retry of what was definitely not sent is the same message, tried again: 502, then 201", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 5 });
    await scriptMessages(workspace, [graphError(130429), graphError(130429)]);
    const first = await workspace.send(TEXT, KEY);
    const { messageId } = first.body.details;
    for (const refused of [first, await workspace.send(TEXT, KEY)]) {
      expect(refused.status, refused.text).toBe(502);
      expect(refused.body.details).toMatchObject({ outcome: "not_sent", retryable: true, messageId });
      expect(await planUnits(workspace)).toEqual({ used: 0, held: 0 });
    }
    expect((await workspace.status(messageId ?? "")).body.data).toMatchObject({
      status: "FAILED",
      chatMessageId: null,
    });

    const sent = await workspace.send(TEXT, KEY);
    expectSent(sent);
    expect(sent.body.data.id).toBe(messageId);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
    expect(await messageRows(workspace)).toMatchObject([
      { id: messageId, phase: "SENT", attempt: 3, failure_code: null },
    ]);
    expect((await workspace.send(TEXT, KEY)).body.data).toEqual({ ...sent.body.data, idempotentReplay: true });
    expect(await callsOf(workspace)).toHaveLength(3);
  });

  test("20 racers retrying one refused row are one call, and one unit", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 5 });
    await scriptMessages(workspace, [graphError(131016)]);
    const refused = await workspace.send(TEXT, KEY);
    expect(refused.status, refused.text).toBe(502);
    const answers = await race(20, (_, headers) => workspace.send(TEXT, headers));
    expect(statuses(answers)).toEqual({ 200: 19, 201: 1 });
    expect(new Set(answers.map(({ body }) => body.data.id))).toEqual(new Set([refused.body.details.messageId]));
    expect(await callsOf(workspace)).toHaveLength(2);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
  });

  test.for<[string, ScriptedAnswer, number, string, unknown, number]>([
    ["a final refusal", graphError(131047, "Re-engagement"), 400, "FAILED", expect.stringContaining("131047"), 0],
    ["an unknown outcome", { hangUp: "middle" }, 502, "UNKNOWN", null, 1],
  ])("10 racers after %s replay it, and none sends", async ([, script, http, status, reason, units], { workspace }) => {
    await scriptMessages(workspace, [script]);
    const first = await workspace.send(TEXT, KEY);
    expect(first.status, first.text).toBe(http);
    for (const replay of await race(10, (_, headers) => workspace.send(TEXT, headers))) {
      expectReplay(replay, first.body.details.messageId, status, reason);
    }
    expect(await callsOf(workspace)).toHaveLength(1);
    expect(await planUnits(workspace)).toEqual({ used: units, held: units });
  });
});

describe("after the owner is gone", () => {
  test("a claim whose lease is over is taken over by one of 20 racers", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 5 });
    const first = await workspace.send(TEXT, KEY);
    await abandon(workspace, first.body.data.id, "ACCEPTED");
    const answers = await race(20, (_, headers) => workspace.send(TEXT, headers));
    expect(statuses(answers)).toEqual({ 200: 19, 201: 1 });
    expect(await callsOf(workspace)).toHaveLength(2);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
    expect(await messageRows(workspace)).toMatchObject([{ id: first.body.data.id, phase: "SENT", attempt: 2 }]);
  });

  test("a dispatch whose lease is over is never sent again, whichever process retries", async ({ workspace }) => {
    const first = await workspace.send(TEXT, KEY);
    await abandon(workspace, first.body.data.id, "DISPATCHING");
    const second = await workspace.send(TEXT, KEY);
    // The server's own sweeper may have come between.
    expect(["PENDING", "UNKNOWN"]).toContain(second.body.data.status);
    expect([second.status, second.body.data.id]).toEqual([200, first.body.data.id]);
    expect(await callsOf(workspace)).toHaveLength(1);
  });
});
