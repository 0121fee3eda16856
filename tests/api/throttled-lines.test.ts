import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { KEY, scriptMessages, TEXT } from "../support/platform-answers";
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
    await scriptMessages(workspace, Array(THROTTLES + 1).fill(graphError(130429)));
    for (let send = 1; send <= THROTTLES; send++) expect((await workspace.send(TEXT)).status).toBe(502);
    await sleep(1_050);
    const answers = await Promise.all(Array.from({ length: 10 }, () => workspace.send(TEXT)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(502));
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(THROTTLES + 1);
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
});
