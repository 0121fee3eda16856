import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { sql } from "../../support/rows";
import { countMessages, expectError, expectSent, KEY, sentBodies, TEXT, usedUnits } from "../../support/sends";
import { test } from "../../support/test";
import {
  type Answer,
  graphError,
  provisionWorkspace,
  scriptMessages,
  type TestWorkspace,
} from "../../support/workspace";

const THROTTLES = 5;

/** The wait is the throttle's own: what is left of it, in whole seconds. */
const expectHeldBack = (
  answer: Answer,
  words: string,
  { seconds = 1, ...more }: { seconds?: number; messageId?: string | undefined } = {},
) => {
  expectError(answer, {
    status: 502,
    error: "CHAT_GRAPH_ERROR",
    message: expect.stringContaining(words),
    details: { outcome: "not_sent", retryable: true, retryAfterSeconds: expect.any(Number), ...more },
  });
  const { retryAfterSeconds = 0 } = answer.body.details;
  expect(retryAfterSeconds).toBeLessThanOrEqual(seconds);
  expect(retryAfterSeconds).toBeGreaterThan(seconds - 4);
  expect(answer.headers.get("retry-after")).toBe(`${retryAfterSeconds}`);
};

/** WhatsApp throttles the first line five times, then answers so. */
const throttle = async (workspace: TestWorkspace, then: Parameters<typeof scriptMessages>[1] = [], body = TEXT) => {
  await scriptMessages(workspace, [...Array(THROTTLES).fill(graphError(130429)), ...then]);
  for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(body)).status).toBe(502);
};

describe("502", () => {
  test("after 5 throttles a line is held back at once, and another line is not", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "busy" }, { ref: "free" }] });
    const through = (ref: string) => ({ ...TEXT, phoneNumberId: workspace.lines[ref]?.id });
    const busy = through("busy");
    await throttle(workspace, [], busy);
    expect(await sentBodies(workspace)).toHaveLength(THROTTLES);

    expectHeldBack(await workspace.send(busy, KEY), "WhatsApp is throttling this line");
    expectHeldBack(await workspace.send({ ...busy, phone: "447700900999" }), "WhatsApp is throttling this line");
    expect(await sentBodies(workspace)).toHaveLength(THROTTLES);
    expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([THROTTLES, 0]);
    expectSent(await workspace.send(through("free")));

    await sleep(1_050);
    expectSent(await workspace.send(busy, KEY));
    expectSent(await workspace.send(busy));
  });

  test.concurrent.for([
    [4, {}, 60],
    [130429, { "retry-after": "3" }, 3],
    [131056, {}, 6],
  ] as const)(
    "%i %j: the refusal, who is held back and the next probe have one wait, %i s",
    async ([code, headers, seconds], { workspace }) => {
      await scriptMessages(workspace, Array(THROTTLES).fill({ ...graphError(code), headers }));
      for (let send = 1; send <= THROTTLES; send++) {
        expect((await workspace.send(TEXT)).body.details.retryAfterSeconds).toBe(seconds);
      }
      const held = await workspace.send(TEXT);
      expectHeldBack(held, "WhatsApp is throttling", { seconds });
      if (seconds > 10) return;
      await sleep((held.body.details.retryAfterSeconds ?? 0) * 1_000);
      expectSent(await workspace.send(TEXT));
    },
  );

  test.concurrent.for([
    ["a refusal of the message (131047)", graphError(131047), 400],
    ["an error that leaves the outcome open (131000)", graphError(131000), 502],
  ] as const)("the throttle is over with any other answer: %s", async ([, answer, status], { workspace }) => {
    await throttle(workspace, [answer]);
    await sleep(1_050);
    expect((await workspace.send(TEXT)).status).toBe(status);
    const sends = await Promise.all(Array.from({ length: 10 }, () => workspace.send(TEXT)));
    for (const send of sends) expectSent(send);
  });

  test("a row that waits to be tried again is named while its line is held back", async ({ workspace }) => {
    await scriptMessages(workspace, Array(THROTTLES).fill(graphError(130429)));
    const first = await workspace.send(TEXT, KEY);
    for (let send = 2; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    const { messageId } = first.body.details;
    expectHeldBack(await workspace.send(TEXT, KEY), "WhatsApp is throttling this line", { messageId });
    await sleep(1_050);
    const retry = await workspace.send(TEXT, KEY);
    expectSent(retry);
    expect(retry.body.data.id).toBe(messageId);
  });

  test("what makes no call uses up no probe: replays, refused bodies and a plan that is used up", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 2 });
    const first = await workspace.send(TEXT, KEY);
    expectSent(first);
    await throttle(workspace);
    await sleep(1_050);
    for (let replay = 1; replay <= 5; replay++) expect((await workspace.send(TEXT, KEY)).status).toBe(200);
    expect((await workspace.send({ ...TEXT, content: "another" }, KEY)).status).toBe(409);
    await sql`update workspaces set message_limit = 1 where id = ${workspace.workspaceId}`;
    expect((await workspace.send(TEXT)).status).toBe(402);
    await sql`update workspaces set message_limit = 2 where id = ${workspace.workspaceId}`;
    expectSent(await workspace.send(TEXT));
  });

  test("of two first sends after a second one is the probe; the other is not sent, and its key sends it later", async () => {
    const workspace = await provisionWorkspace();
    await throttle(workspace, [{ ...graphError(130429), delayMs: 500 }]);
    await sleep(1_050);
    const keys = ["one", "two"].map((key) => ({ "Idempotency-Key": key }));
    const answers = await Promise.all(keys.map((key) => workspace.send(TEXT, key)));
    expect(await sentBodies(workspace)).toHaveLength(THROTTLES + 1);
    expect(answers.map(({ status }) => status)).toEqual([502, 502]);
    expect(await usedUnits(workspace)).toBe(0);
    const rows = answers.flatMap(({ body }) => body.details.messageId ?? []);
    const reasons = await Promise.all(rows.map(async (id) => (await workspace.status(id)).body.data.failureReason));
    // Where both were claimed at once, the row says why; where the second came later, it has none.
    for (const reason of reasons) {
      expect(reason).toMatch(
        /^130429: |^WhatsApp is throttling this line and another message is already probing it\. Retry/,
      );
    }
    for (const key of keys) {
      await sleep(1_050);
      expectSent(await workspace.send(TEXT, key));
    }
    expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([THROTTLES + 2, 2]);
  });
});
