import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import type { ScriptedAnswer } from "../../support/platform";
import { abandon, eventWords, messageRows, planUnits, sql } from "../../support/rows";
import { callsOf, expectError, expectSent, KEY, TEXT } from "../../support/sends";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import { graphError, provisionWorkspace, scriptMessages, type TestWorkspace } from "../../support/workspace";

/** As long as a pass may take beside other files', and less than a call to WhatsApp may. */
const SLOW_MS = 7_000;

describe("401", () => {
  test.for([null, "", "wrong", "x".repeat(43)])("without the cron secret: %s", async (secret) => {
    expectError(await sweep(secret), { status: 401, error: "UNAUTHORIZED", details: { retryable: false } });
  });
});

describe("an abandoned claim", () => {
  test("is FAILED as not dispatched, gives its unit back, and is sent by the same key as the same message", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    const first = await workspace.send(TEXT, KEY);
    const { id } = first.body.data;
    await abandon(workspace, id, "ACCEPTED");
    const answer = await sweep();
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      data: {
        notDispatched: expect.any(Number),
        unknown: expect.any(Number),
        joined: expect.any(Number),
        answered: expect.any(Number),
        purged: expect.any(Number),
      },
    });
    expect((await workspace.status(id)).body.data).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("Nothing was sent"),
      chatMessageId: null,
    });
    expect(await planUnits(workspace)).toEqual({ used: 0, held: 0 });

    const again = await workspace.send(TEXT, KEY);
    expectSent(again);
    expect(again.body.data.id).toBe(id);
    expect(await callsOf(workspace)).toHaveLength(2);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
  });

  test("an owner that wakes up too late sends nothing", async ({ workspace }) => {
    const first = await workspace.send(TEXT, KEY);
    const { id } = first.body.data;
    await abandon(workspace, id, "ACCEPTED");
    await sweep();
    const marked = await sql`
        update messages set phase = 'DISPATCHING'
        where workspace_id = ${workspace.workspaceId} and id = ${id} and fencing_token = 1 and phase = 'ACCEPTED' returning id`;
    expect(marked).toEqual([]);
  });
});

describe("a silent dispatch", () => {
  test("is UNKNOWN, keeps its unit, and is never sent again", async () => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    const { id } = (await workspace.send(TEXT, KEY)).body.data;
    await abandon(workspace, id, "DISPATCHING");
    expect((await sweep()).status).toBe(200);
    expect((await workspace.status(id)).body.data).toMatchObject({ status: "UNKNOWN", failureReason: null });
    const replay = await workspace.send(TEXT, KEY);
    expect(replay.status).toBe(200);
    expect(replay.body.data).toMatchObject({ id, status: "UNKNOWN" });
    expect(await callsOf(workspace)).toHaveLength(1);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
  });

  test.for<[string, ScriptedAnswer, string, number, number]>([
    ["an acceptance", {}, "SENT", 201, 1],
    ["a refusal", graphError(131047), "FAILED", 400, 0],
  ])("%s that its slow owner brings afterwards is still recorded", async ([, script, status, http, used]) => {
    const workspace = await provisionWorkspace({ messageLimit: 1 });
    await scriptMessages(workspace, [{ ...script, delayMs: SLOW_MS }]);
    const sending = workspace.send(TEXT, KEY);
    const id = await untilDispatched(workspace);
    await sql`update messages set lease_expires_at = now() where workspace_id = ${workspace.workspaceId}`;
    await sweep();
    expect((await workspace.status(id)).body.data.status).toBe("UNKNOWN");
    expect((await sending).status).toBe(http);
    expect((await workspace.status(id)).body.data.status).toBe(status);
    expect(await planUnits(workspace)).toEqual({ used, held: used });
  });
});

test("what is under way is left alone", async ({ workspace }) => {
  await scriptMessages(workspace, [{ delayMs: SLOW_MS }]);
  const sending = workspace.send(TEXT, KEY);
  const id = await untilDispatched(workspace);
  await sweep();
  expect((await workspace.status(id)).body.data.status).toBe("PENDING");
  expectSent(await sending);
});

test("more than a batch is settled in one pass, and passes at the same time do no harm", async () => {
  const workspaces = await Promise.all([provisionWorkspace(), provisionWorkspace(), provisionWorkspace()]);
  for (const workspace of workspaces) {
    const { id } = (await workspace.send(TEXT)).body.data;
    await sql`
        with copies as (
          insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, request, fingerprint, phase,
            lease_expires_at, unit_month)
          select workspace_id, id || n, mode, phone_number_id, contact_id, phone, type, request, fingerprint, 'ACCEPTED',
            now() - interval '1 second', unit_month
          from messages, generate_series(1, 150) n where workspace_id = ${workspace.workspaceId} and id = ${id}
          returning 1
        )
        update usage set used = used + (select count(*) from copies) where workspace_id = ${workspace.workspaceId}`;
  }
  const passes = await Promise.all(Array.from({ length: 3 }, () => sweep()));
  expect(passes.map(({ status }) => status)).toEqual(Array(3).fill(200));
  for (const workspace of workspaces) {
    const rows = await messageRows(workspace);
    expect(rows.filter(({ phase }) => phase === "REFUSED_RETRYABLE")).toHaveLength(150);
    expect(await planUnits(workspace)).toEqual({ used: 1, held: 1 });
  }
});

test("early events of one message are joined however many they are, and what no one claims goes after 7 days", async () => {
  const workspace = await provisionWorkspace();
  const { id, chatMessageId } = (await workspace.send(TEXT)).body.data;
  await sql`
      insert into status_events (workspace_id, id, phone_number_id, digest, whatsapp_message_id, status, occurred_at, received_at)
      select ${workspace.workspaceId}, 'evt_' || n, ${workspace.phoneNumberId}, sha256(n::text::bytea),
        case when n <= 250 then ${chatMessageId} else 'wamid.NOBODY' end, case when n = 99 then 'delivered' else 'word' || n end,
        now(), now() - case when n = 252 then interval '169 hours' else interval '1 hour' end
      from generate_series(1, 252) n`;
  expect((await sweep()).status).toBe(200);
  expect((await workspace.status(id)).body.data.status).toBe("DELIVERED");
  expect(await eventWords(workspace, id)).toHaveLength(250);
  expect(await eventWords(workspace, null)).toEqual(["word251"]);
});

const untilDispatched = async (workspace: TestWorkspace): Promise<string> => {
  for (;;) {
    const [row] = await messageRows(workspace);
    if (row?.phase === "DISPATCHING") return row.id;
    await sleep(20);
  }
};
