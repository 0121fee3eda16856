import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startInstance } from "../support/environment";
import { awayFromWindowEdge, freshAddress } from "../support/limits";
import { startOwnDatabase } from "../support/own-database";
import { messageRows } from "../support/rows";
import { expectSent, PHONE } from "../support/sends";
import { bodyOf, templateRecord } from "../support/template-records";
import { type Answer, postWebhook, provisionWorkspace, request, statusWebhook } from "../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const TEMPLATES = "/api/v1/public/templates";
const [ROUNDS, COUNT] = [7, 3];

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase({}, "API");
});
afterAll(() => own.stop());
beforeEach(awayFromWindowEdge);

/** Of the quietest round: the sweeper and the log of requests have statements of their own, and come by in between. */
const statementsOf = async (call: () => Promise<Answer>, status: number): Promise<number> => {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = own.countStatements();
    for (let done = 0; done < COUNT; done++) {
      const answer = await call();
      expect(answer.status, answer.text).toBe(status);
    }
    rounds.push((own.countStatements() - before) / COUNT);
  }
  return Math.round(Math.min(...rounds));
};

describe("statements of one call", () => {
  test("a send, a replay, a status, a list, and what is refused with 401 or 404", { timeout: 60_000 }, async () => {
    const workspace = await provisionWorkspace({
      templates: [templateRecord("ready", [bodyOf("Order {{1}} is ready.")])],
      contacts: [{ ref: "customer", phone: PHONE }],
    });
    const first = await workspace.send(TEXT);
    expectSent(first);
    const fresh = () => ({ "Idempotency-Key": crypto.randomUUID() });
    const templateVariables = { "1": "8812" };
    const template = { type: "template", phone: PHONE, templateName: "ready", templateVariables };
    const contact = { type: "text", contactId: workspace.contacts.customer, content: "Hello" };
    await workspace.send(TEXT, { "Idempotency-Key": "the same" });
    const wrong = { apiKey: workspace.apiKey, apiSecret: "sk_live_wrong" };
    const unknown = { apiKey: "pk_live_unknown", apiSecret: "sk_live_wrong" };
    const list = (key: typeof wrong | null) => workspace.call("GET", TEMPLATES, { key });
    expect({
      text: await statementsOf(() => workspace.send(TEXT, fresh()), 201),
      template: await statementsOf(() => workspace.send(template, fresh()), 201),
      contact: await statementsOf(() => workspace.send(contact, fresh()), 201),
      replay: await statementsOf(() => workspace.send(TEXT, { "Idempotency-Key": "the same" }), 200),
      status: await statementsOf(() => workspace.status(first.body.data.id), 200),
      templates: await statementsOf(() => workspace.call("GET", TEMPLATES), 200),
      wrongSecret: await statementsOf(() => list(wrong), 401),
      unknownKey: await statementsOf(() => list(unknown), 401),
      noKey: await statementsOf(() => list(null), 401),
      unknownPath: await statementsOf(() => workspace.call("GET", "/api/v1/public/nothing"), 404),
    }).toEqual({
      text: 3,
      template: 4,
      contact: 4,
      replay: 2,
      status: 2,
      templates: 2,
      wrongSecret: 1,
      unknownKey: 1,
      noKey: 1,
      unknownPath: 1,
    });
  });

  test("a webhook of ten statuses", async () => {
    const workspace = await provisionWorkspace();
    const sent = await Promise.all(Array.from({ length: 10 }, () => workspace.send(TEXT)));
    for (const answer of sent) expectSent(answer);
    const body = statusWebhook(
      workspace,
      sent.map((answer) => ({ id: answer.body.data.chatMessageId ?? "", status: "read", timestamp: "1760000000" })),
    );
    // One reads the messages, one writes what has not changed since.
    expect(await statementsOf(() => postWebhook(body), 200)).toBe(2);
    expect((await messageRows(workspace)).filter(({ status }) => status === "READ")).toHaveLength(10);
  });

  test("a 429 that is repeated", async () => {
    const [workspace, instance] = await Promise.all([
      provisionWorkspace(),
      startInstance({ PUBLIC_API_IP_RATE_LIMIT: "5", PUBLIC_API_KEY_RATE_LIMIT: "3" }, "API"),
    ]);
    const list = (address: string, keys: Record<string, string>) =>
      request("GET", `${instance.baseUrl}${TEMPLATES}`, { headers: { "x-forwarded-for": address, ...keys } });
    const [full, other] = [freshAddress(), freshAddress()];
    const { apiKey, apiSecret } = workspace;
    try {
      for (let call = 0; call < 6; call++) await list(full, {});
      for (let call = 0; call < 4; call++) await list(other, { apiKey, apiSecret });
      expect({
        address: await statementsOf(() => list(full, { apiKey, apiSecret }), 429),
        key: await statementsOf(() => list(freshAddress(), { apiKey, apiSecret }), 429),
      }).toEqual({ address: 0, key: 0 });
    } finally {
      await instance.stop();
    }
  });
});
