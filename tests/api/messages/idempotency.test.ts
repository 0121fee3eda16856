import { describe, expect } from "vitest";
import { head, rawRequest } from "../../support/raw-http";
import { sharedWorkspace } from "../../support/refused-sends";
import { sql } from "../../support/rows";
import {
  callsOf,
  countMessages,
  expectError,
  expectInvalid,
  expectNothingBound,
  expectSent,
  KEY,
  PHONE,
  TEXT,
} from "../../support/sends";
import { carouselRecord, ORDER } from "../../support/template-records";
import { test } from "../../support/test";
import { type Answer, provisionWorkspace } from "../../support/workspace";

/** The same message again: nothing differs but that it says so. */
const expectSameMessage = (answer: Answer, first: Answer): void => {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get("idempotent-replayed")).toBe("true");
  expect(answer.body).toEqual({ success: true, data: { ...first.body.data, idempotentReplay: true } });
};

const expectConflict = (answer: Answer, messageId: string): void =>
  expectError(answer, {
    status: 409,
    error: "IDEMPOTENCY_CONFLICT",
    details: { field: "idempotencyKey", reason: "body_mismatch", messageId, retryable: false },
  });

describe("200: the same key and body", () => {
  test("in the header, in the body or in both are one message and one call", async ({ workspace }) => {
    const first = await workspace.send({ ...TEXT, idempotencyKey: "order-7" });
    expectSent(first);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    for (const [headers, field] of [
      [{ "Idempotency-Key": "order-7" }, {}],
      [{ "idempotency-key": "order-7" }, {}],
      [{}, { idempotencyKey: "order-7" }],
      [{ "Idempotency-Key": "order-7" }, { idempotencyKey: "  order-7 " }],
    ] as [Record<string, string>, object][]) {
      expectSameMessage(await workspace.send({ ...TEXT, ...field }, headers), first);
    }
    expect(await callsOf(workspace)).toHaveLength(1);
    expect(await countMessages(workspace)).toBe(1);
  });

  test("a key is taken literally, in a header as in the body", async ({ workspace }) => {
    for (const idempotencyKey of ['"quoted"', "schlüssel-👋-日本", "a b,c; d=e", "👋".repeat(255)]) {
      const first = await workspace.send({ ...TEXT, idempotencyKey });
      expectSent(first);
      const utf8 = Buffer.from(idempotencyKey).toString("latin1");
      expectSameMessage(await workspace.send(TEXT, { "Idempotency-Key": utf8 }), first);
      expectSent(await workspace.send(TEXT, { "Idempotency-Key": `x${utf8.slice(4)}` }));
    }
  });

  test("the order of plain keys and the spelling of the number are no difference", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    const send = { type: "template", phone: PHONE, templateName: "order_ready", idempotencyKey: "k" };
    const first = await workspace.send({ ...send, templateVariables: { 1: "Ana", 2: "A-42" } });
    expectSent(first);
    const { idempotencyKey, ...rest } = send;
    const again = `{"idempotencyKey":"${idempotencyKey}","templateVariables":{"2":"A-42","1":"Ana"},${JSON.stringify({
      ...rest,
      phone: "+44 (7700) 900-123",
      contactId: null,
    }).slice(1)}`;
    expectSameMessage(await workspace.call("POST", "/api/v1/public/messages/send", { rawBody: again }), first);
    expect(await callsOf(workspace)).toHaveLength(1);
  });

  test("two keys of one workspace share their idempotency keys", async () => {
    const workspace = await provisionWorkspace({ extraKeys: ["second"] });
    const first = await workspace.send(TEXT, { "Idempotency-Key": "shared" });
    const again = await workspace.call("POST", "/api/v1/public/messages/send", {
      body: TEXT,
      headers: { "Idempotency-Key": "shared" },
      key: workspace.keys.second ?? null,
    });
    expectSameMessage(again, first);
  });

  test("a replay answers when line, template and plan have gone away since", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER], messageLimit: 1 });
    const body = { type: "template", phone: PHONE, templateName: "order_ready", templateVariables: { 1: "A", 2: "B" } };
    const first = await workspace.send(body, KEY);
    expectSent(first);
    const replay = async () => expectSameMessage(await workspace.send(body, KEY), first);
    await replay();
    await sql`update templates set status = 'PAUSED' where workspace_id = ${workspace.workspaceId}`;
    await replay();
    await sql`update phone_numbers set is_active = false where workspace_id = ${workspace.workspaceId}`;
    await replay();
    expectConflict(await workspace.send(TEXT, KEY), first.body.data.id);
    expect(await callsOf(workspace)).toHaveLength(1);
  });

  test("a replay answers when its contact is gone", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: PHONE }] });
    const body = { type: "text", contactId: workspace.contacts.ada, content: "Hello" };
    const first = await workspace.send(body, KEY);
    expectSent(first);
    await sql.begin(async (transaction) => {
      // A contact with messages cannot be deleted; this is what a restored or merged database may look like.
      await transaction`set local session_replication_role = replica`;
      await transaction`delete from contacts where workspace_id = ${workspace.workspaceId}`;
    });
    expectSameMessage(await workspace.send(body, KEY), first);
    expect((await workspace.send(body, { "Idempotency-Key": "other" })).status).toBe(404);
  });
});

describe("201: not the same", () => {
  test("a key belongs to its workspace", async ({ workspace: one, other }) => {
    for (const workspace of [one, other]) expectSent(await workspace.send(TEXT, KEY));
    expect(await callsOf(one)).toHaveLength(1);
    expect(await callsOf(other)).toHaveLength(1);
  });

  test("a key belongs to its mode: a test key's send never replays as a live one", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "live" }, { ref: "test", mode: "test" }] });
    const onTest = await workspace.call("POST", "/api/v1/public/messages/send", {
      body: TEXT,
      headers: KEY,
      key: workspace.keys.other ?? null,
    });
    expectSent(onTest);
    const live = await workspace.send(TEXT, KEY);
    expectSent(live);
    expect(live.body.data.id).not.toBe(onTest.body.data.id);
    expect(await callsOf(workspace)).toHaveLength(1);
  });

  test("a key that was refused before the claim is free", async ({ workspace }) => {
    for (const fault of [{ content: "" }, { phoneNumberId: "pn_none" }]) {
      expect((await workspace.send({ ...TEXT, ...fault }, KEY)).status).toBe(400);
    }
    expectSent(await workspace.send(TEXT, KEY));
  });
});

describe("400", () => {
  const differing = { idempotencyKey: "differs from the header" };
  const workspace = sharedWorkspace();

  test.for<[string, Record<string, string>, unknown, Record<string, string>]>([
    ["header and field that differ in case", { "Idempotency-Key": "a" }, "A", differing],
    ["an empty header", { "Idempotency-Key": "" }, undefined, { "Idempotency-Key": "is empty" }],
    ["a blank field", {}, " \t\u00a0", { idempotencyKey: "is empty" }],
    ["256 emoji", {}, "👋".repeat(256), { idempotencyKey: "256 characters, limit 255" }],
    ["a header of 256", { "Idempotency-Key": "x".repeat(256) }, undefined, { "Idempotency-Key": "limit 255" }],
    ["a control character", {}, "a\u0007b", { idempotencyKey: "cannot be printed" }],
    ["a zero-width character", {}, "a\u200bb", { idempotencyKey: "cannot be printed" }],
    ["a number", {}, 7, { idempotencyKey: "must be a string" }],
  ])("%s: nothing is sent", async ([, headers, idempotencyKey, faults]) => {
    expectInvalid(await workspace().send({ ...TEXT, idempotencyKey }, headers), faults);
    await expectNothingBound(workspace());
  });

  test("the header sent twice: nothing is sent", async () => {
    const { apiKey, apiSecret, clientAddress, baseUrl } = workspace();
    const body = JSON.stringify(TEXT);
    for (const second of ["a", "b"]) {
      const lines = head("POST /api/v1/public/messages/send", {
        apiKey,
        apiSecret,
        "X-Forwarded-For": clientAddress,
        "Content-Type": "application/json",
        "Content-Length": `${body.length}`,
        "Idempotency-Key": "a",
        "idempotency-key": second,
      });
      const answer = await rawRequest(baseUrl, `${lines}${body}`);
      if (!answer) throw new Error("no answer");
      expectInvalid(answer, { "Idempotency-Key": "sent twice" });
    }
    await expectNothingBound(workspace());
  });
});

describe("409", () => {
  test("a reused key with another body is refused, and nothing of either body is reported", async ({ workspace }) => {
    const first = await workspace.send({ ...TEXT, content: "a private first text" }, KEY);
    const answer = await workspace.send({ ...TEXT, content: "a private second text" }, KEY);
    expectConflict(answer, first.body.data.id);
    expect(answer.text).not.toMatch(/private|447700|sk_live|wamid/);
    expect(await callsOf(workspace)).toHaveLength(1);
    expect(await countMessages(workspace)).toBe(1);
  });

  test("a number, a blank, another Unicode form, a named line or a flag make another body", async ({ workspace }) => {
    const first = await workspace.send(TEXT, KEY);
    for (const change of [
      { phone: "447700900124" },
      { content: "Hello " },
      { content: "Hello\u0301" },
      { phoneNumberId: workspace.phoneNumberId },
      { revalidateFlowSession: true },
    ]) {
      expectConflict(await workspace.send({ ...TEXT, ...change }, KEY), first.body.data.id);
    }
  });

  test("the order of a card's named values is meaning", async () => {
    const workspace = await provisionWorkspace({ templates: [carouselRecord(2, "{{1}} off until {{2}}")] });
    const send = (bodyValues: Record<string, string>) =>
      workspace.send(
        {
          type: "template",
          phone: PHONE,
          templateName: "summer_offers",
          templateVariables: { 1: "Ana" },
          carousel: {
            cards: [0, 1].map((index) => ({
              index,
              bodyValues,
              header: { format: "image", id: "770001" },
              buttonValues: [{ index: 1, sub_type: "url", parameters: { type: "text", text: "lamp" } }],
            })),
          },
        },
        KEY,
      );
    const first = await send({ discount: "10 %", until: "Friday" });
    expectSent(first);
    expectSameMessage(await send({ discount: "10 %", until: "Friday" }), first);
    expectConflict(await send({ until: "Friday", discount: "10 %" }), first.body.data.id);
    expect(await callsOf(workspace)).toHaveLength(1);
  });
});
