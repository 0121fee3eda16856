import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { pauseEndpoint } from "@/lib/outgoing/change-endpoint";
import { command } from "@/lib/workspaces/record-audit";
import { addEndpoint } from "../../support/receiver";
import { sql } from "../../support/rows";
import { sweep } from "../../support/sweep";
import { bodyOf, templateRecord, templateWebhook } from "../../support/template-records";
import { deliver, provisionWorkspace, scriptPlatform, type TestWorkspace } from "../../support/workspace";

type Record = ReturnType<typeof templateRecord>;

const AT_SECONDS = Math.floor(Date.now() / 1_000) - 60;
const within = { timeout: 15_000, interval: 200 };

const record = (more = {}) => templateRecord(`order_${randomInt(10 ** 9)}`, [bodyOf("Hi")], more);

/** A workspace with an endpoint for everything, which is paused: its events are stored, not sent. */
const workspaceWithEndpoint = async (given: Parameters<typeof provisionWorkspace>[0] = {}): Promise<TestWorkspace> => {
  const workspace = await provisionWorkspace(given);
  const { id } = await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
  await pauseEndpoint(provenWorkspaceId(workspace.workspaceId), id, command("test"));
  return workspace;
};

/** What WhatsApp lists at the next reads of the account. */
const lists = ({ whatsappBusinessAccountId: account }: TestWorkspace, ...read: Record[][]) => {
  const answers = read.map((data) => ({ json: { data } }));
  return scriptPlatform(account, "message_templates", answers);
};

/** Reads the account's list, as if it were due, and were read long ago. */
const readDue = async ({ workspaceId }: TestWorkspace) => {
  await sql`
    update jobs set due_at = now(), started_at = started_at - interval '2 minutes',
      payload = payload || jsonb_build_object('wholeAt', now())
    where kind = 'templates' and workspace_id = ${workspaceId}`;
  await sweep();
};

type Reported = { event?: string; atSeconds?: number };
const report = (workspace: TestWorkspace, template: Record, { event, atSeconds = AT_SECONDS }: Reported = {}) => {
  const reason = event === "REJECTED" ? "ABUSIVE_CONTENT" : "NONE";
  return deliver(templateWebhook(workspace, template, event, { atSeconds, reason }));
};

const eventsOf = ({ workspaceId }: TestWorkspace) =>
  sql<{ type: string; name: string; sequence: number; at: number; rejectedReason: string | null }[]>`
      select d.type, t.name, d.sequence, extract(epoch from d.occurred_at)::int as at, d.snapshot ->> 'rejectedReason' as "rejectedReason"
      from webhook_deliveries d join templates t on t.workspace_id = d.workspace_id and t.id = d.subject_id
      where d.workspace_id = ${workspaceId} order by d.position`.then((rows) => rows.map((row) => ({ ...row })));

const namesOf = ({ workspaceId }: TestWorkspace) =>
  sql<{ name: string }[]>`select name from templates where workspace_id = ${workspaceId}`.then((rows) =>
    rows.map(({ name }) => name),
  );

const approved = ({ name }: Record) => {
  const event = { type: "template.approved", sequence: 1, at: AT_SECONDS, rejectedReason: null };
  return { ...event, name };
};

describe("a status that a webhook reports of a template that is not stored yet", () => {
  test("approved in WhatsApp Manager: one event, of WhatsApp's time, though WhatsApp reports it twice", async () => {
    const workspace = await workspaceWithEndpoint();
    const arriving = record();
    await lists(workspace, [arriving]);
    await report(workspace, arriving);
    await expect.poll(() => eventsOf(workspace), within).toEqual([approved(arriving)]);
    await report(workspace, arriving);
    await report(workspace, arriving, { event: "PAUSED", atSeconds: AT_SECONDS + 120 });
    await expect
      .poll(async () => (await eventsOf(workspace)).map(({ type, sequence }) => [type, sequence]), within)
      .toEqual([
        ["template.approved", 1],
        ["template.paused", 2],
      ]);
  });

  test.each([
    ["REJECTED", "template.rejected", { rejected_reason: "ABUSIVE_CONTENT" }],
    ["PAUSED", "template.paused", {}],
    ["DISABLED", "template.disabled", {}],
  ])("%s: %s", async (event, type, more) => {
    const workspace = await workspaceWithEndpoint();
    const arriving = record({ status: event, ...more });
    await lists(workspace, [arriving]);
    await report(workspace, arriving, { event });
    const rejectedReason = event === "REJECTED" ? "ABUSIVE_CONTENT" : null;
    await expect.poll(() => eventsOf(workspace), within).toEqual([{ ...approved(arriving), type, rejectedReason }]);
  });

  test("of a burst, which is one read of the whole list: an event for each, and none for what nothing reported", async () => {
    const workspace = await workspaceWithEndpoint();
    const [old, ...arriving] = Array.from({ length: 40 }, () => record());
    await lists(workspace, [old as Record, ...arriving]);
    await Promise.all(arriving.map((template) => report(workspace, template)));
    await expect.poll(async () => (await namesOf(workspace)).length, within).toBe(40);
    const names = async () => (await eventsOf(workspace)).map(({ name }) => name).sort();
    await expect.poll(names, within).toEqual(arriving.map(({ name }) => name).sort());
  });

  test("that the list does not have yet: the event comes with the list that has it", async () => {
    const workspace = await workspaceWithEndpoint();
    const arriving = record();
    await lists(workspace, [], [arriving]);
    await report(workspace, arriving);
    const isRead = () =>
      sql<{ done: boolean }[]>`
      select not payload ? 'asked' and started_at is not null as done from jobs
      where workspace_id = ${workspace.workspaceId}`.then(([row]) => row?.done);
    await expect.poll(isRead, within).toBe(true);
    expect(await eventsOf(workspace)).toEqual([]);
    await readDue(workspace);
    await expect.poll(() => eventsOf(workspace), within).toEqual([approved(arriving)]);
  });
});

describe("a status that a list brings first", () => {
  test("200 templates that have been approved for long: no event", async () => {
    const workspace = await workspaceWithEndpoint();
    const old = Array.from({ length: 200 }, () => record());
    await lists(workspace, old);
    await readDue(workspace);
    await expect.poll(async () => (await namesOf(workspace)).length, within).toBe(200);
    await sleep(500);
    expect(await eventsOf(workspace)).toEqual([]);
  });

  const listedFirst = async (more = {}) => {
    const [workspace, arriving] = [await workspaceWithEndpoint(), record(more)];
    await lists(workspace, [arriving]);
    await readDue(workspace);
    await expect.poll(() => namesOf(workspace), within).toEqual([arriving.name]);
    await report(workspace, arriving);
    return { workspace, arriving };
  };

  test("and that its webhook then confirms, late as it is: one event", async () => {
    const { workspace, arriving } = await listedFirst();
    await report(workspace, arriving);
    await expect.poll(() => eventsOf(workspace), within).toEqual([approved(arriving)]);
  });

  test("and that is not what an older webhook says: no event, and the list stays", async () => {
    const { workspace } = await listedFirst({ status: "DISABLED" });
    await sleep(500);
    expect(await eventsOf(workspace)).toEqual([]);
  });
});
