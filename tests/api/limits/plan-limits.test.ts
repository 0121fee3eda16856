import { setTimeout } from "node:timers/promises";
import type { Sql } from "postgres";
import { describe, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { getUnits } from "@/lib/limits/plan-queries";
import { readDocument } from "@/lib/operations/document";
import { changeLimit } from "@/lib/workspaces/change-workspace";
import { freshAddress, statuses } from "../../support/limits";
import { provision } from "../../support/provision";
import { rollUpAll } from "../../support/roll-up";
import { messageRows, planUnits, setUsed, sql } from "../../support/rows";
import { callsOf, expectError, expectSent, KEY, PHONE, TEXT } from "../../support/sends";
import {
  type Answer,
  graphError,
  provisionWorkspace,
  report,
  scriptMessages,
  type scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

const now = new Date();
const RESETS_AT = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();

const expectLimit = (answer: Answer, { limit, used }: { limit: number; used: number }): void =>
  expectError(answer, {
    status: 402,
    error: "PLAN_LIMIT_EXCEEDED",
    message: `Monthly message limit reached: ${used} of ${limit}, resets ${RESETS_AT}. Nothing was sent. Ask a workspace owner to raise the plan.`,
    details: { limit, used, resetsAt: RESETS_AT, retryable: false },
  });
const OWNER = { actor: { kind: "user", id: "usr_1" }, requestId: null } as const;
const setLimit = ({ workspaceId }: TestWorkspace, limit: number | null) =>
  changeLimit(provenWorkspaceId(workspaceId), limit, OWNER);
const usageOf = ({ workspaceId }: TestWorkspace) =>
  sql`select used, message_limit as limit from usage where workspace_id = ${workspaceId}`;

const provisionAgain = async ({ workspaceId }: TestWorkspace, plan: Record<string, unknown>) => {
  const [stored] = await sql`select ref, name from workspaces where id = ${workspaceId}`;
  const reading = readDocument({ workspaces: [{ ...stored, ...plan }] });
  if ("faults" in reading) throw new Error(reading.faults.join("\n"));
  await provision(reading.document);
};

const sendAtOnce = (workspace: TestWorkspace, count: number): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => workspace.send(TEXT)));

const waitFor = async (sql: Sql, pid: number | undefined): Promise<number> =>
  (await sql`select from pg_stat_activity where ${pid ?? 0} = any(pg_blocking_pids(pid))`).length;

describe("402", () => {
  test("with 5 units 30 racers are five messages, and twenty-five refusals that bind nothing", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 5 });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => workspace.send(TEXT, { "Idempotency-Key": `k${index}` })),
    );
    const refused = answers.filter(({ status }) => status === 402);
    expect(statuses(answers)).toEqual({ 201: 5, 402: 25 });
    for (const answer of refused) expectLimit(answer, { limit: 5, used: 5 });
    expect(await callsOf(workspace)).toHaveLength(5);
    expect(await messageRows(workspace)).toHaveLength(5);
    expect(await planUnits(workspace)).toEqual({ used: 5, held: 5 });

    await setLimit(workspace, 6);
    const key = `k${answers.indexOf(refused[0] ?? answers[0] ?? never())}`;
    expectSent(await workspace.send(TEXT, { "Idempotency-Key": key }));
  });

  test("with one unit left 30 racers are one message", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 2 });
    expectSent(await workspace.send(TEXT));
    expect(statuses(await sendAtOnce(workspace, 30))).toEqual({ 201: 1, 402: 29 });
    expect(await callsOf(workspace)).toHaveLength(2);
  });

  test("a limit of 0 lets nothing out, after line and template are checked", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 0 });
    const unknown = { type: "template", phone: PHONE, templateName: "none", templateVariables: {} };
    expect((await workspace.send(unknown)).status).toBe(404);
    expect((await workspace.send({ ...TEXT, phoneNumberId: "pn_none" })).status).toBe(400);
    expectLimit(await workspace.send(TEXT), { limit: 0, used: 0 });
    expect(await callsOf(workspace)).toEqual([]);
    expect(await planUnits(workspace)).toEqual({ used: 0, held: 0 });
  });

  test("a limit lowered below what is used holds at once, and a refund under it does no harm", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 10 });
    for (let sent = 0; sent < 3; sent++) expectSent(await workspace.send(TEXT));
    await setLimit(workspace, 2);
    expectLimit(await workspace.send(TEXT), { limit: 2, used: 3 });
    await setLimit(workspace, 4);
    await scriptMessages(workspace, [graphError(131047)]);
    expect((await workspace.send(TEXT)).status).toBe(400);
    expect(await planUnits(workspace)).toEqual({ used: 3, held: 3 });
    await setLimit(workspace, null);
    expectSent(await workspace.send(TEXT));
    await setLimit(workspace, 4);
    expectLimit(await workspace.send(TEXT), { limit: 4, used: 4 });
    expect(await planUnits(workspace)).toEqual({ used: 4, held: 4 });
  });

  test("a retry of a refused row needs a unit again, and is refused where none is left", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    await scriptMessages(workspace, [graphError(131016)]);
    const refused = await workspace.send(TEXT, KEY);
    expect(refused.status, refused.text).toBe(502);
    expectSent(await workspace.send(TEXT));
    expectLimit(await workspace.send(TEXT, KEY), { limit: 1, used: 1 });
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });

    await setLimit(workspace, 2);
    const retried = await workspace.send(TEXT, KEY);
    expectSent(retried);
    expect(retried.body.data.id).toBe(refused.body.details.messageId);
    expect(await planUnits(workspace)).toEqual({ used: 2, held: 2 });
  });
});

describe("a crowd", () => {
  test("uses units up to the last one, and no further", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 600 });
    await setUsed(workspace, 340);
    const addresses = Array.from({ length: 3 }, () => freshAddress());
    const answers = await Promise.all(
      Array.from({ length: 290 }, (_, index) =>
        workspace.send(TEXT, { "x-forwarded-for": addresses[index % addresses.length] ?? "" }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 402);
    expect(statuses(answers)).toEqual({ 201: 260, 402: 30 });
    for (const answer of refused) expectLimit(answer, { limit: 600, used: 600 });
    expect(await callsOf(workspace)).toHaveLength(260);
    expect(await planUnits(workspace)).toEqual({ used: 600, held: 260 });
  });

  test("without a limit waits for no one who holds the month's row, and leaves it as it is", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 10 });
    expectSent(await workspace.send(TEXT));
    await setLimit(workspace, null);
    await sql.begin(async (tx) => {
      await tx`select from usage where workspace_id = ${workspace.workspaceId} for update`;
      expect(statuses(await sendAtOnce(workspace, 30))).toEqual({ 201: 30 });
    });
    expect(await usageOf(workspace)).toEqual([{ used: 1, limit: null }]);
  });
});

describe("a first limit in the middle of a month", () => {
  test("counts what was sent before it, and not what was refused or is of test mode", async () => {
    const workspace = await provisionWorkspace({ plan: "unlimited" });
    await scriptMessages(workspace, [graphError(131047)]);
    expect((await workspace.send(TEXT)).status).toBe(400);
    for (let sent = 0; sent < 3; sent++) expectSent(await workspace.send(TEXT));
    expect(await usageOf(workspace)).toEqual([]);
    await setLimit(workspace, 4);
    expectSent(await workspace.send(TEXT));
    expectLimit(await workspace.send(TEXT), { limit: 4, used: 4 });
    await setLimit(workspace, null);
    for (let sent = 0; sent < 2; sent++) expectSent(await workspace.send(TEXT));
    await setLimit(workspace, 2);
    expectLimit(await workspace.send(TEXT), { limit: 2, used: 6 });
    await setLimit(workspace, 7);
    expectSent(await workspace.send(TEXT));
    expect(await planUnits(workspace)).toEqual({ used: 7, held: 7 });
  });

  test("from a provisioned file counts, too", async () => {
    const workspace = await provisionWorkspace({ plan: "unlimited" });
    for (let sent = 0; sent < 2; sent++) expectSent(await workspace.send(TEXT));
    await provisionAgain(workspace, { messageLimit: 3 });
    expectSent(await workspace.send(TEXT));
    expectLimit(await workspace.send(TEXT), { limit: 3, used: 3 });
    await provisionAgain(workspace, { messageLimit: null });
    expectSent(await workspace.send(TEXT));
    await provisionAgain(workspace, { plan: "free" });
    expect(await usageOf(workspace)).toEqual([{ used: 4, limit: 1_000 }]);
  });

  test("waits for a claim that is under way, and counts it", async () => {
    const workspace = await provisionWorkspace({ plan: "unlimited" });
    expectSent(await workspace.send(TEXT));
    const { send, change } = await sql.begin(async (tx) => {
      const [locked] = await tx<{ pid: number }[]>`
        select pg_backend_pid() as pid from contacts where workspace_id = ${workspace.workspaceId} for update`;
      const send = workspace.send(TEXT);
      await expect.poll(() => waitFor(sql, locked?.pid)).toBe(1);
      const change = setLimit(workspace, 2);
      await setTimeout(100);
      return { send, change };
    });
    await change;
    expectSent(await send);
    expectLimit(await workspace.send(TEXT), { limit: 2, used: 2 });
  });

  test("misses no send that is under way, nor what is given back", async () => {
    const workspace = await provisionWorkspace({ plan: "unlimited" });
    for (let round = 0; round < 4; round++) {
      await scriptMessages(workspace, Array(10).fill(graphError(131047)));
      const ip = freshAddress();
      const sends = Array.from({ length: 60 }, () => workspace.send(TEXT, { "x-forwarded-for": ip }));
      await Promise.race(sends);
      await setLimit(workspace, 100_000);
      const answers = await Promise.all(sends);
      expect(Object.keys(statuses(answers))).toEqual(["201", "400"]);
      const { used, held } = await planUnits(workspace);
      expect((await usageOf(workspace))[0]).toEqual({ used, limit: 100_000 });
      expect(used).toBe(held);
      await setLimit(workspace, null);
    }
  });
});

describe("units", () => {
  test.for<[string, Parameters<typeof scriptPlatform>[2], number, number]>([
    ["a refusal of the caller's", [graphError(131047)], 400, 0],
    ["a refusal of the line's", [graphError(131031)], 502, 0],
    ["an answer without a message id", [{ json: {} }], 502, 1],
    ["a connection that is cut", [{ hangUp: "before" }], 502, 1],
    ["an ambiguous code", [graphError(131000)], 502, 1],
  ])("%s", async ([, script, status, used]) => {
    const workspace = await provisionWorkspace({ messageLimit: 3 });
    await scriptMessages(workspace, script);
    const answer = await workspace.send(TEXT);
    expect(answer.status, answer.text).toBe(status);
    expect(await planUnits(workspace)).toEqual({ used, held: used });
  });

  test("replays are free", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    const first = await workspace.send(TEXT, KEY);
    expectSent(first);
    for (let replay = 0; replay < 3; replay++) {
      expect((await workspace.send(TEXT, KEY)).status).toBe(200);
    }
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
  });

  test("test-mode sends are free, also where no unit is left", async () => {
    const workspace = await provisionWorkspace({ mode: "test", messageLimit: 0 });
    for (let sent = 0; sent < 3; sent++) expectSent(await workspace.send(TEXT));
    expect(await planUnits(workspace)).toEqual({ used: 0, held: 0 });
  });

  test("without a limit no send is refused, and none counts in a row", async () => {
    const workspace = await provisionWorkspace({ plan: "unlimited" });
    expect(statuses(await sendAtOnce(workspace, 30))).toEqual({ 201: 30 });
    expect(await planUnits(workspace)).toEqual({ used: 30, held: 30 });
    expect(await usageOf(workspace)).toEqual([]);
    // Its pages show what the roll-ups have counted.
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    await rollUpAll(sql, { workspaceId, messages: 30 });
    expect(await getUnits(workspaceId, null)).toEqual({ used: 30, resetsAt: RESETS_AT });
  });

  test("a new month begins at zero", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    expectSent(await workspace.send(TEXT));
    expectLimit(await workspace.send(TEXT), { limit: 1, used: 1 });
    await sql`update usage set month = month - interval '1 month' where workspace_id = ${workspace.workspaceId}`;
    expectSent(await workspace.send(TEXT));
    expect((await usageOf(workspace)).map(({ used }) => used)).toEqual([1, 1]);
  });
});

const never = (): never => {
  throw new Error("nobody was refused");
};

describe("a refusal that WhatsApp's own events contradict", () => {
  test.for([
    [131047, 400],
    [131016, 502],
  ] as const)("%i: takes its unit again, once, also beyond the limit", async ([code, status]) => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    await scriptMessages(workspace, [graphError(code)]);
    const refused = await workspace.send(TEXT);
    expect(refused.status).toBe(status);
    expect(await planUnits(workspace)).toEqual({ used: 0, held: 0 });
    expectSent(await workspace.send(TEXT));

    const { messageId = "" } = refused.body.details;
    for (const word of ["delivered", "delivered", "read"]) {
      const item = { id: `wamid.${messageId}`, status: word, biz_opaque_callback_data: messageId };
      await report(workspace, item);
      expect(await planUnits(workspace)).toEqual({ used: 2, held: 2 });
    }
    expectLimit(await workspace.send(TEXT), { limit: 1, used: 2 });
    await setLimit(workspace, 3);
    expectSent(await workspace.send(TEXT));
    await setLimit(workspace, null);
    expectSent(await workspace.send(TEXT));
    expect(await planUnits(workspace)).toEqual({ used: 4, held: 4 });
  });
});
