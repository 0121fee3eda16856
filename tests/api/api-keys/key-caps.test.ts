import { describe, expect } from "vitest";
import { keyUnits, limitKey } from "../../support/key-limits";
import { freshAddress } from "../../support/limits";
import { keyIdOf, messageRows, planUnits, sql } from "../../support/rows";
import { callsOf, expectError, expectSent, PHONE, TEXT } from "../../support/sends";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import {
  type Answer,
  graphError,
  provisionWorkspace,
  report,
  scriptMessages,
  type TestWorkspace,
} from "../../support/workspace";

const now = new Date();
const RESETS_AT = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();

const expectCap = (answer: Answer, { limit, used }: { limit: number; used: number }): void =>
  expectError(answer, {
    status: 402,
    error: "PLAN_LIMIT_EXCEEDED",
    message: `Monthly cap of this key reached: ${used} of ${limit}, resets ${RESETS_AT}. Nothing was sent. An owner or admin of the workspace can change the limits of this key under Settings → API keys.`,
    details: { limit, used, resetsAt: RESETS_AT, reason: "monthly_cap", retryable: false },
  });

const unitsOf = async (workspace: TestWorkspace) => keyUnits(workspace, await keyIdOf(workspace));
const retry = (key: string) => ({ "Idempotency-Key": key });

describe("402", () => {
  test("a cap of 50 and 200 racers are fifty messages, also where half of the first are refused", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1_000 });
    await limitKey(workspace, { monthlyCap: 50 });
    await scriptMessages(workspace, Array(20).fill(graphError(131047)));
    const addresses = Array.from({ length: 4 }, freshAddress);
    const headers = (i: number) => ({ "x-forwarded-for": addresses[i % 4] ?? "" });
    const racers = await Promise.all(Array.from({ length: 200 }, (_, i) => workspace.send(TEXT, headers(i))));
    const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;
    const sent = count(racers, 201);
    expect(count(racers, 400)).toBe(20);
    expect(sent + count(racers, 402)).toBe(180);
    // What was given back is there for others, and no more.
    const rest = await Promise.all(Array.from({ length: 60 }, (_, i) => workspace.send(TEXT, headers(i))));
    expect(sent + count(rest, 201)).toBe(50);
    expectCap(await workspace.send(TEXT), { limit: 50, used: 50 });
    expect(await unitsOf(workspace)).toEqual({ used: 50, held: 50 });
    expect(await planUnits(workspace)).toEqual({ used: 50, held: 50 });
    expect(await callsOf(workspace)).toHaveLength(70);
  });

  test("binds nothing: the same idempotency key sends once the cap is raised, and other keys go on", async () => {
    const workspace = await provisionWorkspace({ extraKeys: ["second"] });
    await limitKey(workspace, { monthlyCap: 1 });
    expectSent(await workspace.send(TEXT, retry("one")));
    expectCap(await workspace.send(TEXT, retry("two")), { limit: 1, used: 1 });
    expect((await workspace.send(TEXT, retry("one"))).status).toBe(200);
    expectSent(await workspace.send(TEXT, workspace.keys.second));
    await limitKey(workspace, { monthlyCap: 2 });
    expectSent(await workspace.send(TEXT, retry("two")));
    expect(await unitsOf(workspace)).toEqual({ used: 2, held: 2 });
  });

  test("caps a test key, too, which its plan does not count", async () => {
    const workspace = await provisionWorkspace({ mode: "test", messageLimit: 1 });
    await limitKey(workspace, { monthlyCap: 2 });
    const phone = "447700900003";
    for (let sent = 0; sent < 2; sent++) expectSent(await workspace.send({ ...TEXT, phone }));
    expectCap(await workspace.send({ ...TEXT, phone }), { limit: 2, used: 2 });
    expect(await planUnits(workspace)).toEqual({ used: 0, held: 0 });
  });

  test("a cap that is lowered below what is used holds at once, and a refund under it does no harm", async () => {
    const workspace = await provisionWorkspace();
    await limitKey(workspace, { monthlyCap: 10 });
    for (let sent = 0; sent < 3; sent++) expectSent(await workspace.send(TEXT));
    await limitKey(workspace, { monthlyCap: 2 });
    expectCap(await workspace.send(TEXT), { limit: 2, used: 3 });
    await limitKey(workspace, { monthlyCap: 4 });
    await scriptMessages(workspace, [graphError(131047)]);
    expect((await workspace.send(TEXT)).status).toBe(400);
    expect(await unitsOf(workspace)).toEqual({ used: 3, held: 3 });
  });

  test("a first cap, or one that is set again, counts what the key has sent this month", async () => {
    for (const mode of ["live", "test"] as const) {
      const workspace = await provisionWorkspace({ mode });
      const phone = mode === "live" ? PHONE : "447700900003";
      for (let sent = 0; sent < 2; sent++) expectSent(await workspace.send({ ...TEXT, phone }));
      await limitKey(workspace, { monthlyCap: 2 });
      expectCap(await workspace.send({ ...TEXT, phone }), { limit: 2, used: 2 });
      await limitKey(workspace, {});
      expectSent(await workspace.send({ ...TEXT, phone }));
      await limitKey(workspace, { monthlyCap: 3 });
      expectCap(await workspace.send({ ...TEXT, phone }), { limit: 3, used: 3 });
    }
  });

  test("a refused row that is tried again needs a unit of the key that tries it", async () => {
    const workspace = await provisionWorkspace({ extraKeys: ["second"] });
    const second = workspace.keys.second ?? workspace;
    await limitKey(workspace, { monthlyCap: 5 });
    await limitKey(workspace, { monthlyCap: 1 }, { apiKey: second.apiKey });
    const bySecond = (key: string) => workspace.send(TEXT, { ...workspace.keys.second, ...retry(key) });
    await scriptMessages(workspace, [graphError(131016)]);
    expect((await workspace.send(TEXT, retry("k"))).status).toBe(502);
    expect(await unitsOf(workspace)).toEqual({ used: 0, held: 0 });
    expectSent(await bySecond("k"));
    expectCap(await bySecond("other"), { limit: 1, used: 1 });
    expect(await unitsOf(workspace)).toEqual({ used: 0, held: 0 });
  });

  test("a refusal that WhatsApp's own events contradict takes its unit again, once, also beyond the cap", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 10, extraKeys: ["second"] });
    await limitKey(workspace, { monthlyCap: 1 });
    await scriptMessages(workspace, [graphError(131047), graphError(131047)]);
    const refused = await workspace.send(TEXT);
    const ofUncapped = await workspace.send(TEXT, workspace.keys.second);
    expect([refused.status, ofUncapped.status]).toEqual([400, 400]);
    expectSent(await workspace.send(TEXT));
    expect(await unitsOf(workspace)).toEqual({ used: 1, held: 1 });

    const ids = [refused, ofUncapped].map(({ body }) => body.details.messageId ?? "");
    for (const status of ["delivered", "delivered", "read"]) {
      const items = ids.map((id) => ({ id: `wamid.${id}`, status, biz_opaque_callback_data: id }));
      await report(workspace, ...items);
      expect(await unitsOf(workspace)).toEqual({ used: 2, held: 2 });
      expect(await planUnits(workspace)).toEqual({ used: 3, held: 3 });
    }
    expectCap(await workspace.send(TEXT), { limit: 1, used: 2 });
    await limitKey(workspace, { monthlyCap: 3 });
    expectSent(await workspace.send(TEXT));
    expectCap(await workspace.send(TEXT), { limit: 3, used: 3 });
  });

  test("an abandoned row gives its unit back when another key takes it over, or the sweeper releases it", async () => {
    const workspace = await provisionWorkspace({ extraKeys: ["second"] });
    const second = workspace.keys.second ?? workspace;
    await limitKey(workspace, { monthlyCap: 5 });
    await limitKey(workspace, { monthlyCap: 5 }, { apiKey: second.apiKey });
    const abandon = (key: string) => sql`
      update messages set phase = 'ACCEPTED', status = 'PENDING', whatsapp_message_id = null, sent_at = null,
        lease_expires_at = now() - interval '1 second'
      where workspace_id = ${workspace.workspaceId} and idempotency_key = ${key}`;
    for (const key of ["swept", "swept too", "sent"]) expectSent(await workspace.send(TEXT, retry(key)));
    expect(await unitsOf(workspace)).toEqual({ used: 3, held: 3 });
    await abandon("swept");
    await abandon("swept too");
    expect((await sweep()).status).toBe(200);
    expect(await unitsOf(workspace)).toEqual({ used: 1, held: 1 });

    expectSent(await workspace.send(TEXT, retry("k")));
    await abandon("k");
    expectSent(await workspace.send(TEXT, { ...workspace.keys.second, ...retry("k") }));
    expect(await unitsOf(workspace)).toEqual({ used: 1, held: 1 });
    const [row] = await sql<{ id: string }[]>`select id from api_keys where api_key = ${second.apiKey}`;
    expect(await keyUnits(workspace, row?.id ?? "")).toEqual({ used: 1, held: 1 });
    expect(await messageRows(workspace)).toHaveLength(4);
  });

  test("a key without a cap has no row", async ({ workspace }) => {
    await limitKey(workspace, { permissions: ["send"] });
    expectSent(await workspace.send(TEXT));
    expect(await unitsOf(workspace)).toEqual({ used: null, held: 0 });
  });
});
