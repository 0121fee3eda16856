import { describe, expect } from "vitest";
import { freshAddress } from "../../support/limits";
import { expectError, expectSent, TEXT } from "../../support/sends";
import { test } from "../../support/test";
import {
  graphError,
  provisionWorkspace,
  scriptMessages,
  type scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

type Key = TestWorkspace["keys"][string];

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("200", () => {
  test("a status is the message as the send answered it, for any key of the workspace and mode", async () => {
    const { keys, ...workspace } = await provisionWorkspace({ extraKeys: ["second"] });
    const sent = await workspace.send(TEXT);
    expectSent(sent);
    for (const key of [keys.main ?? null, keys.second ?? null]) {
      const answer = await workspace.call("GET", `/api/v1/public/messages/${sent.body.data.id}`, { key });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toEqual(sent.body);
      expect(answer.headers.get("idempotent-replayed")).toBeNull();
    }
  });

  test.for<[string, Parameters<typeof scriptPlatform>[2], string, unknown]>([
    ["refused", [graphError(131047, "Re-engagement message")], "FAILED", expect.stringMatching(/^131047: /)],
    ["left unknown", [{ text: "<html>", status: 500 }], "UNKNOWN", null],
  ])("a message that was %s can be polled by the id of the error", async ([, script, status, failureReason]) => {
    const workspace = await provisionWorkspace();
    await scriptMessages(workspace, script);
    const { messageId } = (await workspace.send(TEXT)).body.details;
    expect((await workspace.status(messageId ?? "")).body).toEqual({
      success: true,
      data: {
        id: messageId,
        status,
        chatMessageId: null,
        failureReason,
        sentAt: null,
        deliveredAt: null,
        readAt: null,
        createdAt: INSTANT,
        idempotentReplay: false,
      },
    });
  });

  test("calls that come at once from one address each get their own message", async () => {
    const workspaces = await Promise.all([1, 2].map(() => provisionWorkspace({ extraKeys: ["new"] })));
    const headers = { "x-forwarded-for": freshAddress() };
    const keys = Array.from({ length: 6 }, (_, number) => `order-${number}`);
    const sent = await Promise.all(
      workspaces.map((one) => Promise.all(keys.map((key) => one.send(TEXT, { ...headers, "Idempotency-Key": key })))),
    );
    const calls = workspaces.flatMap((one, place) =>
      keys.flatMap((idempotencyKey, number) => {
        const id = sent[place]?.[number]?.body.data.id;
        const foreign = sent[1 - place]?.[number]?.body.data.id;
        const read = async (name: string | undefined, key?: Key) => {
          const path = `/api/v1/public/messages/${name}`;
          const { status, body } = await one.call("GET", path, { headers, ...(key ? { key } : {}) });
          return status === 200 ? body.data.id : status;
        };
        const sendAgain = async (names: { headers?: object; body?: object }) => {
          const { status, body } = await one.send({ ...TEXT, ...names.body }, { ...headers, ...names.headers });
          return status === 200 ? body.data.id : status;
        };
        return [
          { expected: id, call: () => read(id) },
          // A key that this server has not seen yet.
          { expected: id, call: () => read(id, one.keys.new) },
          { expected: 404, call: () => read(foreign) },
          { expected: 404, call: () => read("msg_%00") },
          { expected: id, call: () => sendAgain({ headers: { "Idempotency-Key": idempotencyKey } }) },
          { expected: id, call: () => sendAgain({ body: { idempotencyKey } }) },
          { expected: 201, call: () => sendAgain({ headers: { "Idempotency-Key": `${idempotencyKey} new` } }) },
        ];
      }),
    );
    const answers = await Promise.all(calls.map(({ call }) => call()));
    expect(answers).toEqual(calls.map(({ expected }) => expected));
  });
});

describe("404", () => {
  test("unknown ids, another workspace's and the other mode's answer alike", async () => {
    const foreign = await provisionWorkspace();
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "trial", mode: "test" }] });
    const foreignId = (await foreign.send(TEXT)).body.data.id;
    const trial = await workspace.call("POST", "/api/v1/public/messages/send", {
      body: TEXT,
      key: workspace.keys.other ?? null,
    });
    const own = (await workspace.send(TEXT)).body.data;
    for (const id of ["msg_none", foreignId, trial.body.data.id, own.id.toUpperCase(), `${own.id}%20`]) {
      const shown = decodeURIComponent(id);
      expectError(await workspace.status(id), {
        status: 404,
        error: "NOT_FOUND",
        message: `No message "${shown}" in this workspace. Use \`data.id\` of the send, with a key of the same mode.`,
        details: { field: "messageId", retryable: false },
      });
    }
    const byPlatformId = await workspace.status(own.chatMessageId ?? "");
    expect(byPlatformId.status).toBe(404);
    expect(byPlatformId.body.message).toContain("not WhatsApp's");
  });

  test("an id that is none is no server error", async ({ workspace }) => {
    for (const id of ["%00", "msg_%00", "a".repeat(3_000), "%F0%9F%91%8B", "..%2f..%2fhealth", "'%20or%20'1'='1"]) {
      const answer = await workspace.status(id);
      expect([answer.status, answer.body.error, answer.body.details.field], answer.text).toEqual([
        404,
        "NOT_FOUND",
        "messageId",
      ]);
    }
  });
});
