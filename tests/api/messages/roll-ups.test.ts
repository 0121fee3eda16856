import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { requestRows } from "../../support/request-rows";
import { keepFromCounting, letCount } from "../../support/roll-up";
import { sql } from "../../support/rows";
import { TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import { graphError, provisionWorkspace, report, scriptPlatform, type TestWorkspace } from "../../support/workspace";

/** `lock_timeout` is 2 s. */
const LONGER_THAN_A_LOCK_MS = 3_000;

const send = async (workspace: TestWorkspace) => (await workspace.send(TEXT)).body.data;

const counted = ({ workspaceId }: TestWorkspace) => sql`
  select status, sum(count)::int as count from messages_by_quarter where workspace_id = ${workspaceId}
  group by status order by status`;
const summed = ({ workspaceId }: TestWorkspace) => sql`
  select to_char(starts_at at time zone w.time_zone, 'YYYY-MM-DD HH24:MI') as day, status, sum(count)::int as count
  from messages_by_day d join workspaces w on w.id = d.workspace_id where workspace_id = ${workspaceId}
  group by 1, 2 order by 1, 2`;
const madeByDay = ({ workspaceId }: TestWorkspace) => sql`
  select to_char(m.created_at at time zone w.time_zone, 'YYYY-MM-DD 00:00') as day, status, count(*)::int as count
  from messages m join workspaces w on w.id = m.workspace_id where workspace_id = ${workspaceId}
  group by 1, 2 order by 1, 2`;
const there = ({ workspaceId }: TestWorkspace) => sql`
  select status, count(*)::int as count from messages where workspace_id = ${workspaceId}
  group by status order by status`;
const move = ({ workspaceId }: TestWorkspace, id: string, by: string) => sql`
  update messages set created_at = created_at + ${by}::interval where workspace_id = ${workspaceId} and id = ${id}`;

const DAY_MS = 86_400_000;

/** Sends a message for each moment. No pass counts before they are moved: it would count them as of now. */
const sendAt = async (workspace: TestWorkspace, moments: readonly (string | Date)[]) => {
  const lock = await sql.reserve();
  await keepFromCounting(lock);
  for (const at of moments) {
    const { id } = await send(workspace);
    await sql`update messages set created_at = ${new Date(at).toISOString()} where id = ${id}`;
  }
  await letCount(lock);
  lock.release();
};

/** Counts messages that were moved. Again, where a pass of another test's server has counted the first at this moment. */
const countAll = async (workspace: TestWorkspace) => {
  const recount = async () => {
    await sql`delete from messages_by_quarter where workspace_id = ${workspace.workspaceId}`;
    await sweep();
    return counted(workspace);
  };
  await expect.poll(recount, { timeout: 10_000 }).toEqual(await there(workspace));
};

describe("the count of a quarter of an hour", () => {
  test("is what is there, after sends, after statuses, and however often it is counted, and so is how long a delivery took", async ({
    workspace,
  }) => {
    const made = [await send(workspace), await send(workspace), await send(workspace)];
    await sweep();
    expect(await counted(workspace)).toEqual(await there(workspace));
    await report(workspace, { id: made[0]?.chatMessageId ?? "", status: "delivered" });
    await report(workspace, { id: made[1]?.chatMessageId ?? "", status: "read" });
    for (let pass = 0; pass < 3; pass++) {
      await Promise.all([sweep(), sweep()]);
      const rows = await counted(workspace);
      expect(rows).toEqual(await there(workspace));
      expect(await summed(workspace)).toEqual(await madeByDay(workspace));
      expect(rows.map(({ status, count }) => `${status} ${count}`)).toEqual(["SENT 1", "DELIVERED 1", "READ 1"]);
    }
    const arrivals = await sql`
        select sum(count)::int as count from duration_hours
        where workspace_id = ${workspace.workspaceId} and kind = 'arrival'`;
    expect(arrivals).toMatchObject([{ count: 2 }]);
  });

  test("waits for a pass that is at it for longer than a statement may wait for a lock", async ({ workspace }) => {
    await send(workspace);
    const lock = await sql.reserve();
    await keepFromCounting(lock);
    const passes = Promise.all([sweep(), sweep()]);
    await sleep(LONGER_THAN_A_LOCK_MS);
    await letCount(lock);
    expect((await passes).map(({ status }) => status)).toEqual([200, 200]);
    expect(await counted(workspace)).toEqual(await there(workspace));
    lock.release();
  });

  test("gets its turn between those of an instance that asks for one after the other", async ({ workspace }) => {
    await send(workspace);
    const lock = await sql.reserve();
    let isOver = false;
    const takeTurns = async () => {
      while (!isOver) {
        await keepFromCounting(lock);
        await sleep(300);
        await letCount(lock);
      }
    };
    const turns = takeTurns();
    expect(await sweep()).toMatchObject({ status: 200 });
    expect(await counted(workspace)).toEqual(await there(workspace));
    isOver = true;
    await turns;
    lock.release();
  });

  test("follows a status that comes days later", async ({ workspace }) => {
    const { id, chatMessageId } = await send(workspace);
    await move(workspace, id, "-3 days");
    await sql`delete from messages_by_quarter where workspace_id = ${workspace.workspaceId}`;
    await sweep();
    expect(await counted(workspace)).toMatchObject([{ status: "SENT", count: 1 }]);
    await report(workspace, { id: chatMessageId ?? "", status: "read" });
    await sweep();
    expect(await counted(workspace)).toMatchObject([{ status: "READ", count: 1 }]);
  });

  test("of a message long ago stays as it is after polls and a 409, and follows where a refused one is sent again", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId, whatsappPhoneNumberId } = workspace;
    const key = { "Idempotency-Key": "order-1" };
    await scriptPlatform(whatsappPhoneNumberId, "messages", [graphError(131016)]);
    const id = (await workspace.send(TEXT, key)).body.details.messageId ?? "";
    await requestRows(workspace, 1);
    await sql`update api_requests set at = at - interval '3 days' where workspace_id = ${workspaceId}`;
    await move(workspace, id, "-3 days");
    await sql`delete from messages_by_quarter where workspace_id = ${workspaceId}`;
    await sweep();
    await workspace.status(id);
    expect((await workspace.send({ ...TEXT, content: "Other" }, key)).status).toBe(409);
    expect((await requestRows(workspace, 3)).map(({ message_id }) => message_id)).toEqual([id, id, id]);
    // A number that no count gives: the next count of the hour removes it. Another test's pass may still be at it.
    const untouched = async () => {
      // A pass that had read the message before it was moved counts it where it was.
      await sql`delete from messages_by_quarter where workspace_id = ${workspaceId} and starts_at > now() - interval '1 day'`;
      await sql`update messages_by_quarter set count = 99 where workspace_id = ${workspaceId}`;
      await sweep();
      return (await counted(workspace)).map(({ status, count }) => `${count} ${status}`);
    };
    const passes = [await untouched(), await untouched(), await untouched()];
    expect(passes).toContainEqual(["99 FAILED"]);
    expect((await workspace.send(TEXT, key)).status).toBe(201);
    await requestRows(workspace, 4);
    await sweep();
    expect(await counted(workspace)).toMatchObject([{ status: "SENT", count: 1 }]);
  });

  test("is taken up by the next pass where one died half-way", async ({ workspace }) => {
    const daysAgo = [40, 20, 3].map((days) => new Date(Date.now() - days * DAY_MS));
    await sendAt(workspace, daysAgo);
    const { workspaceId } = workspace;
    await countAll(workspace);
    // What a pass has done when it dies: it begins with the newest.
    await sql`
        delete from messages_by_quarter where workspace_id = ${workspaceId} and starts_at < now() - interval '10 days'`;
    await sweep();
    expect(await counted(workspace)).toEqual(await there(workspace));
    expect(await counted(workspace)).toMatchObject([{ status: "SENT", count: 3 }]);
    expect(await summed(workspace)).toEqual(await madeByDay(workspace));
  });

  test.for([
    // The first zone has a day of 25 hours there; the second and third differ by hours and by 45 minutes.
    [
      "the day's own midnight",
      ["2026-10-24T23:30Z", "2026-10-25T12:00Z", "2026-10-25T23:30Z", "2026-10-26T04:30Z"],
      ["Europe/Berlin", "America/New_York", "Asia/Kathmandu"],
    ],
    [
      "a clock that differs in summer only, where the first message is of a winter",
      ["2026-01-15T12:00Z", "2026-07-15T12:00Z", "2026-07-15T23:30Z", "2026-11-02T12:00Z"],
      ["UTC", "Europe/London", "UTC"],
    ],
  ] as const)("is summed again after each move of the workspace's clock: %s", async ([, moments, zones]) => {
    const workspace = await provisionWorkspace();
    await sendAt(workspace, moments);
    await countAll(workspace);
    for (const zone of zones) {
      await sql`update workspaces set time_zone = ${zone} where id = ${workspace.workspaceId}`;
      await sweep();
      expect(await summed(workspace)).toEqual(await madeByDay(workspace));
      expect(await counted(workspace)).toMatchObject([{ status: "SENT", count: 4 }]);
    }
  });

  test("is summed once where the workspace's clock moves while a pass waits to count", async ({ workspace }) => {
    const { workspaceId } = workspace;
    await send(workspace);
    await sweep();
    let waiting: Promise<unknown> | undefined;
    await sql.begin(async (holder) => {
      await holder`select pg_advisory_xact_lock(hashtextextended('switchboard roll-up', 0))`;
      waiting = sweep();
      const isWaiting = () => sql`select from pg_locks where locktype = 'advisory' and not granted`;
      await expect.poll(async () => (await isWaiting()).length).toBeGreaterThan(0);
      await sql`update workspaces set time_zone = 'America/New_York' where id = ${workspaceId}`;
    });
    await waiting;
    await sweep();
    expect(await summed(workspace)).toEqual(await madeByDay(workspace));
    expect(await counted(workspace)).toMatchObject([{ status: "SENT", count: 1 }]);
  });
});

describe("the file of a range", () => {
  test("holds the counts by day", async ({ workspace }) => {
    await send(workspace);
    await sweep();
    const path = `/api/v1/workspaces/${workspace.workspaceId}/usage?range=7d&mode=live`;
    const lines = (await readAs(workspace.member, path)).text.trim().split("\r\n");
    expect(lines[0]).toBe("from,pending,sent,delivered,read,failed,all");
    expect(lines).toHaveLength(8);
    expect(lines.at(-1)).toMatch(/^\d{4}-\d{2}-\d{2},0,1,0,0,0,1$/);
  });
});
