import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { command } from "@/lib/audit/author";
import { erasePhone } from "@/lib/contacts/erase-phone";
import { type Busy, type Claimed, claimDeliveries } from "@/lib/deliveries/claim-deliveries";
import { outcomeOf } from "@/lib/deliveries/outcome";
import type { Answer } from "@/lib/deliveries/post-delivery";
import { recordHealth } from "@/lib/deliveries/record-health";
import { replayDeliveries } from "@/lib/deliveries/replay-deliveries";
import { settleDeliveries } from "@/lib/deliveries/settle-deliveries";
import { changeEndpoint } from "@/lib/endpoints/change-endpoint";
import { EVENT_TYPES } from "@/lib/endpoints/event-types";
import { pauseEndpoint, resumeEndpoint } from "@/lib/endpoints/pause-endpoint";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/tenancy/workspace-id";
import { deleteWorkspace } from "@/lib/workspaces/delete-workspace";
import { startOwnDatabase } from "../support/own-database";
import { addEndpoint } from "../support/receiver";
import { onRows } from "../support/rows";
import { sweep } from "../support/sweep";
import { provisionWorkspace } from "../support/workspace";

// The only server delivers in the cron job alone, so that these tests claim and settle what they choose.
let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase({ VERCEL: "1" }, "API");
});
afterAll(() => own.stop());

const BY = command("test");
const URL = "https://partner.invalid/hook";
const ANY_ROOM = { most: 100, isScarce: false };

// What an earlier test has left must not be claimed.
beforeEach(() => onRows((sql) => sql`update webhook_endpoints set paused_at = now()`));

const endpoint = async (): Promise<{ workspaceId: WorkspaceId; id: string }> => {
  const workspace = await provisionWorkspace({ mode: "live" });
  const { id } = await addEndpoint(workspace, { url: URL, mode: "live" });
  return { workspaceId: provenWorkspaceId(workspace.workspaceId), id };
};

type Endpoint = Awaited<ReturnType<typeof endpoint>>;

let serial = 0;
/** Due events, each of a subject of its own or all of the one that is named. Returns their ids, the oldest first. */
const addEvents = async ({ workspaceId, id }: Endpoint, count: number, subjectId?: string): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => `whd_${++serial}`);
  for (const one of ids) {
    await onRows(
      (sql) => sql`
        insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
        values (${workspaceId}, ${one}, ${id}, 'webhook.test', ${subjectId ?? one}, 1, '{}', now())`,
    );
  }
  return ids;
};

const claim = async (busy: readonly Busy[] = [], room = ANY_ROOM): Promise<Claimed[]> =>
  (await claimDeliveries(busy, room)).claimed;
const claimOne = async (): Promise<Claimed> => {
  const [only, ...others] = await claim();
  if (!only || others.length > 0) throw new Error(`${others.length + (only ? 1 : 0)} deliveries were due`);
  return only;
};

const answer = (statusCode: number, more: Partial<Answer> = {}): Answer => ({
  startedAt: new Date(),
  durationMs: 5,
  statusCode,
  failure: null,
  response: "",
  retryAfter: undefined,
  ...more,
});

/** As the loop does it: the outcomes, and then what they say of their endpoints. */
const settle = async (deliveries: readonly Claimed[], given: Answer): Promise<void> => {
  const attempted = deliveries.map((delivery) => ({
    delivery,
    answer: given,
    outcome: outcomeOf(delivery, given, 0.5),
  }));
  let reports = await settleDeliveries(attempted);
  while (reports.length > 0) reports = await recordHealth(reports);
};

const stateOf = async ({ workspaceId, id }: Endpoint) => {
  const [row] = await onRows(
    (sql) => sql<{ failures: number; hold: number }[]>`
      select failures, coalesce(extract(epoch from held_until - now()), 0)::float8 as hold
      from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`,
  );
  return { failures: row?.failures ?? -1, hold: row?.hold ?? -1 };
};

const heldUntil = async ({ workspaceId, id }: Endpoint): Promise<string | null | undefined> => {
  const [row] = await onRows(
    (sql) => sql<{ until: string | null }[]>`
      select held_until::text as until from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`,
  );
  return row?.until;
};

describe("places that come free", () => {
  test("go to the endpoint with the fewest attempts under way, however many are due elsewhere", async () => {
    const crowds = [await endpoint(), await endpoint(), await endpoint(), await endpoint()];
    for (const crowd of crowds) await addEvents(crowd, 12);
    const quiet = await endpoint();
    const [due] = await addEvents(quiet, 1);
    const busy = crowds.map(({ workspaceId, id }) => ({ workspaceId, endpointId: id, underWay: 8 }));
    expect((await claim(busy, { most: 1, isScarce: false })).map(({ id }) => id)).toEqual([due]);
  });

  test("are one for each endpoint where few are left", async () => {
    const [busyOne, other] = [await endpoint(), await endpoint()];
    await addEvents(busyOne, 5);
    await addEvents(other, 5);
    const busy = [{ workspaceId: busyOne.workspaceId, endpointId: busyOne.id, underWay: 1 }];
    const claimed = await claim(busy, { most: 100, isScarce: true });
    expect(claimed.map(({ endpointId }) => endpointId)).toEqual([other.id]);
  });
});

describe("outcomes", () => {
  test("of the same endpoints are written by many processes at once without a deadlock", async () => {
    const endpoints = await Promise.all(Array.from({ length: 6 }, endpoint));
    for (let round = 0; round < 5; round++) {
      await onRows((sql) => sql`update webhook_endpoints set failures = 0, held_until = null, failing_since = null`);
      for (const one of endpoints) await addEvents(one, 4);
      const claimed = await claim();
      expect(claimed).toHaveLength(24);
      const parts = Array.from({ length: 4 }, (_, part) => claimed.filter((_, i) => i % 4 === part));
      await Promise.all(
        parts.map((part, i) => settle(i % 2 === 0 ? part : part.toReversed(), answer(round % 2 === 0 ? 500 : 200))),
      );
      await onRows((sql) => sql`delete from webhook_deliveries where state = 'PENDING'`);
    }
  });

  test("of an attempt whose lease another has taken over change nothing", async () => {
    const one = await endpoint();
    const [id = ""] = await addEvents(one, 1);
    const late = await claimOne();
    await onRows((sql) => sql`update webhook_deliveries set next_attempt_at = now() where id = ${id}`);
    const present = await claimOne();
    expect(present.number).toBe(late.number + 1);
    await settle([late], answer(500));
    expect((await stateOf(one)).failures).toBe(0);
    await settle([present], answer(200));
    const [row] = await onRows((sql) => sql`select state, attempts from webhook_deliveries where id = ${id}`);
    expect({ ...row }).toEqual({ state: "DELIVERED", attempts: 2 });
  });

  test("that come after the recipient's erasure bring back nothing of the response", async () => {
    const workspace = await provisionWorkspace({ mode: "live" });
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    await addEndpoint(workspace, { url: URL, mode: "live", events: ["message.sent"] });
    const phone = "447700900123";
    await workspace.send({ type: "text", phone, content: "Hi" });
    const delivery = await claimOne();
    await erasePhone(workspaceId, phone, BY);
    await settle([delivery], answer(200, { response: `Stored for ${phone}.` }));
    const attempts = await onRows(
      (sql) => sql`select status_code, response from webhook_attempts where delivery_id = ${delivery.id}`,
    );
    expect(attempts.map((row) => ({ ...row }))).toEqual([{ status_code: 200, response: null }]);
  });
});

describe("an attempt under way", () => {
  test("is the only one whose outcome counts: one of another number leaves no entry and no failure", async () => {
    const one = await endpoint();
    await addEvents(one, 1);
    const delivery = await claimOne();
    await settle([{ ...delivery, number: 7 }, delivery, { ...delivery, number: 2 }], answer(500));
    const attempts = await onRows((sql) => sql`select number from webhook_attempts where delivery_id = ${delivery.id}`);
    expect(attempts.map(({ number }) => number)).toEqual([1]);
    expect((await stateOf(one)).failures).toBe(1);
  });

  test("keeps its lease while an earlier event of its message is replayed", async () => {
    const one = await endpoint();
    const [first = "", second = ""] = await addEvents(one, 2, "msg_1");
    await settle([await claimOne()], answer(200));
    const underWay = await claimOne();
    expect(underWay.id).toBe(second);
    await replayDeliveries(one.workspaceId, { endpointId: one.id, deliveryId: first }, BY);
    const replayed = await claimOne();
    expect(replayed.id).toBe(first);
    await settle([replayed], answer(200));
    expect(await claim()).toEqual([]);
    await settle([underWay], answer(200));
    const [row] = await onRows((sql) => sql`select state, attempts from webhook_deliveries where id = ${second}`);
    expect({ ...row }).toEqual({ state: "DELIVERED", attempts: 1 });
  });
});

describe("an event", () => {
  test("is due from the start, whatever fraction of a millisecond its instant was rounded by", async () => {
    const one = await endpoint();
    for (let i = 0; i < 400; i++) {
      const [id] = await addEvents(one, 1);
      const claimed = await claim();
      expect(claimed.map((delivery) => delivery.id)).toEqual([id]);
      await settle(claimed, answer(200));
    }
  });
});

describe("the pause that an endpoint asked for", () => {
  test("stays when later attempts fail without asking, or pass", async () => {
    const one = await endpoint();
    await addEvents(one, 3);
    const [first, second, third] = (await claim()) as [Claimed, Claimed, Claimed];
    await settle([first], answer(429, { retryAfter: 600 }));
    // The instant, not the seconds that are left of it: a busy machine takes some of those.
    const asked = await heldUntil(one);
    expect((await stateOf(one)).hold).toBeGreaterThan(300);
    await settle([second], answer(500));
    expect(await heldUntil(one)).toEqual(asked);
    await settle([third], answer(200));
    expect(await heldUntil(one)).toEqual(asked);
    expect((await stateOf(one)).failures).toBe(0);
    expect(await claim()).toEqual([]);
  });

  test("ends when a member pauses and resumes it, or asks for a replay", async () => {
    const one = await endpoint();
    const [id = ""] = await addEvents(one, 1);
    await settle([await claimOne()], answer(429, { retryAfter: 600 }));
    await pauseEndpoint(one.workspaceId, one.id, BY);
    await resumeEndpoint(one.workspaceId, one.id, BY);
    expect(await stateOf(one)).toEqual({ failures: 0, hold: 0 });
    await onRows((sql) => sql`update webhook_deliveries set next_attempt_at = now() where id = ${id}`);
    await settle([await claimOne()], answer(200));
    const [other = ""] = await addEvents(one, 1);
    await settle([await claimOne()], answer(503, { retryAfter: 600 }));
    await replayDeliveries(one.workspaceId, { endpointId: one.id, deliveryId: id }, BY);
    expect((await claimOne()).id).toBe(id);
    expect(other).not.toBe(id);
  });

  test("is not the new URL's, which has asked for nothing", async () => {
    const one = await endpoint();
    await addEvents(one, 2);
    const [before, underWay] = (await claim()) as [Claimed, Claimed];
    await settle([before], answer(429, { retryAfter: 600 }));
    const change = { endpointId: one.id, url: "https://other.invalid/hook", label: "Test", events: EVENT_TYPES };
    await changeEndpoint(one.workspaceId, change, BY);
    expect(await stateOf(one)).toEqual({ failures: 0, hold: 0 });
    await settle([underWay], answer(429, { retryAfter: 600 }));
    expect(await stateOf(one)).toEqual({ failures: 0, hold: 0 });
  });
});

describe("a workspace that is deleted", () => {
  test("receives nothing from then on, and its endpoints, deliveries and attempts go with it", async () => {
    const one = await endpoint();
    await addEvents(one, 2);
    const [first, second] = (await claim()) as [Claimed, Claimed];
    await settle([first], answer(500));
    await deleteWorkspace(one.workspaceId, BY);
    await onRows((sql) => sql`update webhook_deliveries set next_attempt_at = now()`);
    expect(await claim()).toEqual([]);
    await settle([second], answer(200));
    expect((await sweep()).status).toBe(200);
    const [left] = await onRows(
      (sql) => sql<{ count: number }[]>`
        select (select count(*) from workspaces where id = ${one.workspaceId})
          + (select count(*) from webhook_endpoints where workspace_id = ${one.workspaceId})
          + (select count(*) from webhook_deliveries where workspace_id = ${one.workspaceId})
          + (select count(*) from webhook_attempts where workspace_id = ${one.workspaceId}) as count`,
    );
    expect(Number(left?.count)).toBe(0);
  });
});
