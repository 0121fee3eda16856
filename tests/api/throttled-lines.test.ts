import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { KEY, scriptMessages, TEXT } from "../support/platform-answers";
import { onRows } from "../support/rows";
import { countMessages, expectError, expectSent, sentBodies, usedUnits } from "../support/sends";
import { type Answer, graphError, provisionWorkspace } from "../support/workspace";

const THROTTLES = 5;

const expectHeldBack = (answer: Answer, words: string, more: object = {}) => {
  expectError(answer, {
    status: 502,
    error: "CHAT_GRAPH_ERROR",
    message: expect.stringContaining(words),
    details: { outcome: "not_sent", retryable: true, retryAfterSeconds: 1, ...more },
  });
  expect(answer.headers.get("retry-after")).toBe("1");
};

describe("502", () => {
  test.for([130429, 4, 80007])(
    "after 5 throttles (%i) a line is held back at once, and another line is not",
    async (code) => {
      const workspace = await provisionWorkspace({ lines: [{ ref: "busy" }, { ref: "free" }] });
      const [busy, free] = ["busy", "free"].map((ref) => ({ ...TEXT, phoneNumberId: workspace.lines[ref]?.id }));
      await scriptMessages(workspace, Array(THROTTLES).fill(graphError(code)));
      for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(busy)).status).toBe(502);
      expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(THROTTLES);

      expectHeldBack(await workspace.send(busy, KEY), "throttles this line");
      expectHeldBack(await workspace.send({ ...busy, phone: "447700900999" }), "throttles this line");
      expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(THROTTLES);
      expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([THROTTLES, 0]);
      expectSent(await workspace.send(free));

      await sleep(1_050);
      expectSent(await workspace.send(busy, KEY));
      expectSent(await workspace.send(busy));
    },
  );

  test("a pair is held back by itself: the line still reaches others", async () => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, Array(THROTTLES).fill(graphError(131056)));
    for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    expectHeldBack(await workspace.send(TEXT), "to this recipient");
    expectSent(await workspace.send({ ...TEXT, phone: "447700900999" }));
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(THROTTLES + 1);
  });

  test("a row that waits to be tried again is named while its line is held back", async () => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, Array(THROTTLES).fill(graphError(130429)));
    const first = await workspace.send(TEXT, KEY);
    for (let send = 2; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    const { messageId } = first.body.details;
    expectHeldBack(await workspace.send(TEXT, KEY), "throttles this line", { messageId });
    await sleep(1_050);
    const retry = await workspace.send(TEXT, KEY);
    expectSent(retry);
    expect(retry.body.data.id).toBe(messageId);
  });

  test("one probe a second is let through, and while it is throttled the line stays closed", async () => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, Array(THROTTLES + 10).fill(graphError(130429)));
    for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    await sleep(1_050);
    const startedAtMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, () => workspace.send(TEXT)));
    const probes = Math.ceil((performance.now() - startedAtMs) / 1_000);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(502));
    const called = (await sentBodies(workspace.whatsappPhoneNumberId)).length - THROTTLES;
    expect([called > 0, called <= probes]).toEqual([true, true]);
  });

  test("a replay answers while the line is held back", async () => {
    const workspace = await provisionWorkspace();
    const first = await workspace.send(TEXT, KEY);
    expectSent(first);
    await scriptMessages(workspace, Array(THROTTLES).fill(graphError(130429)));
    for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    const replay = await workspace.send(TEXT, KEY);
    expect([replay.status, replay.body.data.id, replay.body.data.idempotentReplay]).toEqual([
      200,
      first.body.data.id,
      true,
    ]);
  });

  test("what makes no call uses up no probe: replays, refused bodies and a plan that is used up", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 2 });
    const first = await workspace.send(TEXT, KEY);
    expectSent(first);
    await scriptMessages(workspace, Array(THROTTLES).fill(graphError(130429)));
    for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    await sleep(1_050);
    for (let replay = 1; replay <= 5; replay++) expect((await workspace.send(TEXT, KEY)).status).toBe(200);
    expect((await workspace.send({ ...TEXT, content: "another" }, KEY)).status).toBe(409);
    await onRows((sql) => sql`update workspaces set message_limit = 1 where id = ${workspace.workspaceId}`);
    expect((await workspace.send(TEXT)).status).toBe(402);
    await onRows((sql) => sql`update workspaces set message_limit = 2 where id = ${workspace.workspaceId}`);
    expectSent(await workspace.send(TEXT));
  });

  test("of two first sends after a second one is the probe; the other is not sent, and its key sends it later", async () => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, [
      ...Array(THROTTLES).fill(graphError(130429)),
      { ...graphError(130429), delayMs: 500 },
    ]);
    for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    await sleep(1_050);
    const keys = ["one", "two"].map((key) => ({ "Idempotency-Key": key }));
    const answers = await Promise.all(keys.map((key) => workspace.send(TEXT, key)));
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(THROTTLES + 1);
    expect(answers.map(({ status }) => status)).toEqual([502, 502]);
    expect(await usedUnits(workspace)).toBe(0);
    for (const key of keys) {
      await sleep(1_050);
      expectSent(await workspace.send(TEXT, key));
    }
    expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([THROTTLES + 2, 2]);
  });
});
