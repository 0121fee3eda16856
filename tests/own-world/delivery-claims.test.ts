import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { erasePhone } from "@/lib/contacts/erase-phone";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { changeEndpoint, pauseEndpoint, resumeEndpoint, sendTestEvent } from "@/lib/outgoing/change-endpoint";
import { type Claimed, claimDeliveries } from "@/lib/outgoing/claim-deliveries";
import { renewLeases } from "@/lib/outgoing/deliver";
import { EVENT_TYPES } from "@/lib/outgoing/events/event-types";
import { outcomeOf } from "@/lib/outgoing/outcome";
import type { Answer } from "@/lib/outgoing/post-delivery";
import { recordHealth } from "@/lib/outgoing/record-health";
import { replayDeliveries } from "@/lib/outgoing/replay-deliveries";
import { settleDeliveries } from "@/lib/outgoing/settle-deliveries";
import type { Busy } from "@/lib/outgoing/slots";
import { deleteWorkspace } from "@/lib/workspaces/delete-workspace";
import { command } from "@/lib/workspaces/record-audit";
import { startInstance } from "../support/environment";
import { forSuite, forTest } from "../support/for-suite";
import { startOwnDatabase } from "../support/own-database";
import { addEndpoint, startReceiver } from "../support/receiver";
import { sql } from "../support/rows";
import { sweep } from "../support/sweep";
import { provisionWorkspace } from "../support/workspace";

// As on Vercel: no process outlives its request, and the only server of this database delivers in the cron job alone.
const own = forSuite(() => startOwnDatabase({ VERCEL: "1" }, "API"));

test("one run of the cron job delivers what is due and ends; what failed waits for a later run", async () => {
  let isUp = false;
  const partner = await forTest(startReceiver((_, response) => response.writeHead(isUp ? 200 : 500).end()));
  const workspace = await provisionWorkspace({ mode: "test" });
  const workspaceId = provenWorkspaceId(workspace.workspaceId);
  const { id: endpointId } = await addEndpoint(workspace, partner);
  await sendTestEvent(workspaceId, endpointId);
  expect((await sweep()).status).toBe(200);
  expect(partner.received).toHaveLength(1);
  isUp = true;
  for (let i = 0; i < 40; i++) await sendTestEvent(workspaceId, endpointId);
  await sql`update webhook_deliveries set next_attempt_at = now()`;
  expect((await sweep()).status).toBe(200);
  expect(partner.received).toHaveLength(42);
  const states = await sql`select state, count(*)::int as count from webhook_deliveries group by state order by state`;
  expect(states.map((row) => ({ ...row }))).toEqual([{ state: "DELIVERED", count: 41 }]);
  const range = { since: new Date(Date.now() - 60_000), until: new Date(), isFailedOnly: false };
  expect(await replayDeliveries(workspaceId, { endpointId, ...range }, command("test"))).toBe(41);
  expect((await sweep()).status).toBe(200);
  expect(partner.received).toHaveLength(83);
});

describe("two servers that deliver", () => {
  // The server of the database delivers in the cron job alone; these two are the ones that deliver.
  const first = forSuite(() => startInstance({ VERCEL: "" }, "API"));
  const second = forSuite(() => startInstance({ VERCEL: "" }, "API"));

  const attempts = (endpointId: string) => sql<{ attempts: number; state: string }[]>`
    select attempts, state from webhook_deliveries where endpoint_id = ${endpointId} order by position`;

  test("what a server has under way for longer than its lease is not sent by another", async () => {
    const partner = await forTest(
      startReceiver((_, response) => setTimeout(() => response.writeHead(204).end(), 12_000)),
    );
    const { workspaceId } = await provisionWorkspace({ mode: "test" });
    const { id } = await addEndpoint({ workspaceId }, partner);
    for (let i = 0; i < 6; i++) await sendTestEvent(provenWorkspaceId(workspaceId), id);
    const delivered = Array(6).fill({ attempts: 1, state: "DELIVERED" });
    await expect
      .poll(async () => (await attempts(id)).map((row) => ({ ...row })), { timeout: 60_000, interval: 500 })
      .toEqual(delivered);
    expect(partner.received).toHaveLength(6);
  });

  test("what a server that was killed had under way is sent by another before any retry would be", async () => {
    let isHanging = true;
    const partner = await forTest(startReceiver((_, response) => isHanging || response.writeHead(204).end()));
    const { workspaceId } = await provisionWorkspace({ mode: "test" });
    const { id } = await addEndpoint({ workspaceId }, partner);
    process.kill(second.pid, "SIGSTOP");
    for (let i = 0; i < 4; i++) await sendTestEvent(provenWorkspaceId(workspaceId), id);
    await expect.poll(() => partner.received.length, { timeout: 10_000 }).toBe(4);
    isHanging = false;
    process.kill(first.pid, "SIGKILL");
    process.kill(second.pid, "SIGCONT");
    // A lease of 45 s would not be over yet; how long it takes to the tenth of a second is the machine's affair.
    await expect.poll(() => partner.received.length, { timeout: 20_000 }).toBe(8);
    await sleep(500);
    expect((await attempts(id)).map((row) => ({ ...row }))).toEqual(Array(4).fill({ attempts: 2, state: "DELIVERED" }));
  });
});

describe("claims and outcomes", () => {
  const BY = command("test");
  const URL = "https://partner.invalid/hook";

  // What an earlier test has left must not be claimed.
  beforeEach(() => sql`update webhook_endpoints set paused_at = now()`);

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
      await sql`
        insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
        values (${workspaceId}, ${one}, ${id}, 'webhook.test', ${subjectId ?? one}, 1, '{}', now())`;
    }
    return ids;
  };

  const claim = async (busy: readonly Busy[] = []): Promise<Claimed[]> =>
    (await claimDeliveries({ busy, withSlow: true })).claimed;
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
    let { reports } = await settleDeliveries(attempted, { waits: true });
    while (reports.length > 0) reports = await recordHealth(reports);
  };

  /** Rows of deliveries and entries of their indexes that every statement of this file's Postgres has read. */
  const tuplesRead = async (): Promise<number> => {
    // A connection reports what it has read a second later, with its next statement.
    await sleep(1_200);
    await claim();
    await sleep(200);
    const [row] = await sql<{ count: number }[]>`
      select (t.seq_tup_read + t.idx_tup_fetch + (
        select sum(i.idx_tup_read) from pg_stat_user_indexes i where i.relname = t.relname))::float8 as count
      from pg_stat_user_tables t where t.relname = 'webhook_deliveries'`;
    return row?.count ?? 0;
  };

  const stateOf = async ({ workspaceId, id }: Endpoint) => {
    const [row] = await sql<{ failures: number; hold: number }[]>`
      select failures, coalesce(extract(epoch from held_until - now()), 0)::float8 as hold
      from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`;
    return { failures: row?.failures ?? -1, hold: row?.hold ?? -1 };
  };

  const heldUntil = async ({ workspaceId, id }: Endpoint): Promise<string | null | undefined> => {
    const [row] = await sql<{ until: string | null }[]>`
      select held_until::text as until from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`;
    return row?.until;
  };

  describe("outcomes", () => {
    test("of the same endpoints are written by many processes at once without a deadlock", async () => {
      const endpoints = await Promise.all(Array.from({ length: 6 }, endpoint));
      for (let round = 0; round < 5; round++) {
        await sql`update webhook_endpoints set failures = 0, held_until = null, failing_since = null`;
        for (const one of endpoints) await addEvents(one, 4);
        const claimed = await claim();
        expect(claimed).toHaveLength(24);
        const parts = Array.from({ length: 4 }, (_, part) => claimed.filter((_, i) => i % 4 === part));
        await Promise.all(
          parts.map((part, i) => settle(i % 2 === 0 ? part : part.toReversed(), answer(round % 2 === 0 ? 500 : 200))),
        );
        await sql`delete from webhook_deliveries where state = 'PENDING'`;
      }
    });

    test("of an attempt whose lease another has taken over change nothing", async () => {
      const one = await endpoint();
      const [id = ""] = await addEvents(one, 1);
      const late = await claimOne();
      await sql`update webhook_deliveries set next_attempt_at = now() where id = ${id}`;
      const present = await claimOne();
      expect(present.number).toBe(late.number + 1);
      await settle([late], answer(500));
      expect((await stateOf(one)).failures).toBe(0);
      await settle([present], answer(200));
      const [row] = await sql`select state, attempts from webhook_deliveries where id = ${id}`;
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
      const attempts = await sql`select status_code, response from webhook_attempts where delivery_id = ${delivery.id}`;
      expect(attempts.map((row) => ({ ...row }))).toEqual([{ status_code: 200, response: null }]);
    });
  });

  describe("a refusal", () => {
    test("says nothing of its endpoint: any number of them neither hold nor pause it, nor end its failures", async () => {
      const one = await endpoint();
      for (const code of [400, 401, 403, 404, 404, 409, 422, 302]) {
        await addEvents(one, 1);
        await settle(await claim(), answer(code));
      }
      expect(await stateOf(one)).toEqual({ failures: 0, hold: 0 });
      await addEvents(one, 3);
      const [first, second, third] = (await claim()) as [Claimed, Claimed, Claimed];
      await settle([first], answer(500));
      await settle([second], answer(404));
      await settle([third], answer(429));
      expect((await stateOf(one)).failures).toBe(2);
      await sql`
        update webhook_endpoints set failing_since = now() - interval '6 days', held_until = now() where id = ${one.id}`;
      await addEvents(one, 1);
      await settle([await claimOne()], answer(404));
      const [row] = await sql`select paused_by, failures from webhook_endpoints where id = ${one.id}`;
      expect({ ...row }).toEqual({ paused_by: null, failures: 2 });
    });

    test("is retried behind fresh events, two at a time, in places of their own", async () => {
      const one = await endpoint();
      const answered = await addEvents(one, 1);
      await settle(await claim(), answer(200));
      const refused = await addEvents(one, 12);
      await settle(await claim(), answer(404));
      const isDue = (ids: readonly string[]) =>
        sql`update webhook_deliveries set next_attempt_at = now() - interval '1 hour' where id in ${sql(ids)}`;
      await isDue(refused);
      const fresh = await addEvents(one, 5);
      const claimed = await claim();
      expect(claimed.map(({ id, isRefused }) => [id, isRefused])).toEqual([
        ...refused.slice(0, 2).map((id) => [id, true]),
        ...fresh.map((id) => [id, false]),
      ]);
      const held = {
        workspaceId: one.workspaceId,
        endpointId: one.id,
        pace: "quick" as const,
        underWay: 5,
        refused: 2,
      };
      expect(await claim([held])).toEqual([]);
      await settle(claimed, answer(200));
      // What a person asks for waits behind nothing.
      await replayDeliveries(one.workspaceId, { endpointId: one.id, deliveryId: refused[9] ?? "" }, BY);
      expect((await claim()).map(({ id, isRefused }) => [id, isRefused])).toContainEqual([refused[9], false]);
      expect(answered).toHaveLength(1);
    });

    test("holds back the later events of its own message", async () => {
      const one = await endpoint();
      const [first = "", second = ""] = await addEvents(one, 2, "msg_1");
      await settle([await claimOne()], answer(404));
      expect(await claim()).toEqual([]);
      await sql`update webhook_deliveries set next_attempt_at = now() where id = ${first}`;
      await settle([await claimOne()], answer(200));
      expect((await claimOne()).id).toBe(second);
    });
  });

  describe("an event behind a pending one of its message", () => {
    const insertInto = (tx: Sql, { workspaceId, id }: Endpoint, one: string, subjectId: string) => tx`
    insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
    values (${workspaceId}, ${one}, ${id}, 'webhook.test', ${subjectId}, 2, '{}', now())`;
    const isWaiting = async ({ workspaceId }: Endpoint, id: string): Promise<boolean> => {
      const [row] = await sql<{ waits: boolean }[]>`
        select next_attempt_at = 'infinity' as waits from webhook_deliveries where workspace_id = ${workspaceId} and id = ${id}`;
      return row?.waits ?? false;
    };

    test("costs a claim nothing: what it reads stays the same beside 6,000 that wait", async () => {
      const one = await endpoint();
      const other = await endpoint();
      const readBy = async (): Promise<number> => {
        const before = await tuplesRead();
        for (let i = 0; i < 20; i++) {
          const [id] = await addEvents(other, 1);
          const claimed = await claim();
          expect(claimed.map((delivery) => delivery.id)).toEqual([id]);
          await settle(claimed, answer(200));
        }
        return (await tuplesRead()) - before;
      };
      const alone = await readBy();
      // A connection of its own, which reports what it has read when it ends.
      const filling = postgres(own.databaseUrl, { max: 1 });
      await filling`
      insert into webhook_deliveries (
        workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, next_attempt_at, attempts)
      select ${one.workspaceId}, 'whd_head_' || n, ${one.id}, 'webhook.test', 'head_' || n, 1, '{}', now(),
        now() + interval '8 hours', 4
      from generate_series(1, 50) n`;
      await filling`
      insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
      select ${one.workspaceId}, 'whd_wait_' || n, ${one.id}, 'webhook.test', 'head_' || (1 + n % 50), 2, '{}', now()
      from generate_series(1, 6000) n`;
      await filling.end();
      expect(await isWaiting(one, "whd_wait_1")).toBe(true);
      const beside = await readBy();
      expect(beside).toBeLessThan(alone + 1_000);
      await sql`truncate webhook_deliveries, webhook_attempts`;
    }, 120_000);

    test("is due when that one ends, whichever way: delivered, given up or deleted", async () => {
      const one = await endpoint();
      const ids = await addEvents(one, 4, "msg_1");
      expect(await Promise.all(ids.map((id) => isWaiting(one, id)))).toEqual([false, true, true, true]);
      await settle([await claimOne()], answer(200));
      expect(await Promise.all(ids.map((id) => isWaiting(one, id)))).toEqual([false, false, true, true]);
      await sql`update webhook_deliveries set attempts = 99 where id = ${ids[1] ?? ""}`;
      await settle([await claimOne()], answer(500));
      await sql`update webhook_endpoints set held_until = null where id = ${one.id}`;
      expect((await claimOne()).id).toBe(ids[2]);
      await sql`delete from webhook_deliveries where id = ${ids[2] ?? ""}`;
      expect((await claimOne()).id).toBe(ids[3]);
    });

    test("that is stored while the outcome of that one is written is not lost, and neither waits for the other", async () => {
      const one = await endpoint();
      await addEvents(one, 1, "msg_1");
      const first = await claimOne();
      const outcome = outcomeOf(first, answer(200), 0.5);
      await sql.begin(async (tx) => {
        await insertInto(tx as unknown as Sql, one, "whd_second", "msg_1");
        const { reports, locked } = await settleDeliveries([{ delivery: first, answer: answer(200), outcome }]);
        expect([reports.length, locked.length]).toEqual([0, 1]);
      });
      expect(await isWaiting(one, "whd_second")).toBe(true);
      await settle([first], answer(200));
      const second = await claimOne();
      expect(second.id).toBe("whd_second");
      await sql.begin(async (tx) => {
        await tx`update webhook_deliveries set state = 'DELIVERED', settled_at = now() where id = 'whd_second'`;
        await insertInto(sql, one, "whd_third", "msg_1");
      });
      expect((await claimOne()).id).toBe("whd_third");
    });

    test("is due when two earlier ones end at the same moment, as after a replay", async () => {
      const one = await endpoint();
      const [first = "", second = "", third = ""] = await addEvents(one, 3, "msg_1");
      await settle([await claimOne()], answer(200));
      await claimOne();
      await replayDeliveries(one.workspaceId, { endpointId: one.id, deliveryId: first }, BY);
      await claimOne();
      const end = (tx: Sql, id: string) =>
        tx`update webhook_deliveries set state = 'DELIVERED', settled_at = now() where id = ${id}`;
      let other: PromiseLike<unknown> = Promise.resolve();
      await sql.begin(async (tx) => {
        await end(tx as unknown as Sql, second);
        other = end(sql, first);
        await sleep(100);
      });
      await other;
      expect((await claimOne()).id).toBe(third);
    });

    test("that is due all the same, as an earlier version stored it, is put to wait and comes after it", async () => {
      const one = await endpoint();
      const ids = await addEvents(one, 3, "msg_1");
      const others = await addEvents(one, 1);
      await sql`update webhook_deliveries set next_attempt_at = now() where id in ${sql(ids.slice(1))}`;
      const taken: string[] = [];
      for (let i = 0; i < 8 && taken.length < 4; i++) {
        const claimed = await claim();
        taken.push(...claimed.map(({ id }) => id));
        await settle(claimed, answer(200));
      }
      expect(taken.filter((id) => ids.includes(id))).toEqual(ids);
      expect(taken).toContain(others[0]);
    });

    test("is never left behind, however many processes store, claim and settle at once", async () => {
      const one = await endpoint();
      await sql`update webhook_endpoints set answer_ms = 5 where id = ${one.id}`;
      const taken: { subjectId: string; position: string }[] = [];
      let isStored = false;
      const deliver = async () => {
        for (let idle = 0; !isStored || idle < 3; ) {
          const claimed = await claim();
          idle = claimed.length === 0 ? idle + 1 : 0;
          taken.push(...claimed.map(({ subjectId, position }) => ({ subjectId, position })));
          for (let left = claimed; left.length > 0; ) {
            const attempted = left.map((delivery) => ({
              delivery,
              answer: answer(200),
              outcome: outcomeOf(delivery, answer(200), 0.5),
            }));
            const { locked } = await settleDeliveries(attempted);
            left = left.filter(({ id }) => locked.some(({ delivery }) => delivery.id === id));
          }
        }
      };
      const store = async (subjectId: string) => {
        for (let i = 0; i < 6; i++) await addEvents(one, 1, subjectId);
      };
      const subjects = Array.from({ length: 30 }, (_, i) => `msg_${i}`);
      const delivering = [deliver(), deliver(), deliver()];
      await Promise.all(subjects.map(store));
      isStored = true;
      await Promise.all(delivering);
      const [left] = await sql<{ count: number }[]>`
        select count(*)::int as count from webhook_deliveries where endpoint_id = ${one.id} and state = 'PENDING'`;
      expect(left?.count).toBe(0);
      for (const subject of subjects) {
        const positions = taken
          .filter(({ subjectId }) => subjectId === subject)
          .map(({ position }) => Number(position));
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        expect(positions).toHaveLength(6);
      }
    });
  });

  describe("a lease", () => {
    test("is over within 10 s unless its process renews it, which no other can undo", async () => {
      const one = await endpoint();
      const [id = ""] = await addEvents(one, 1);
      const delivery = await claimOne();
      const leftOf = async () => {
        const [row] = await sql<{ seconds: number }[]>`
          select extract(epoch from leased_until - now())::float8 as seconds from webhook_deliveries where id = ${id}`;
        return row?.seconds ?? 0;
      };
      expect(await leftOf()).toBeLessThan(10);
      const runOut = () =>
        sql`update webhook_deliveries set next_attempt_at = now(), leased_until = now() where id = ${id}`;
      await runOut();
      await renewLeases([delivery]);
      expect(await leftOf()).toBeGreaterThan(5);
      expect(await claim()).toEqual([]);
      await runOut();
      const next = await claimOne();
      await renewLeases([delivery]);
      await settle([delivery], answer(500));
      expect((await stateOf(one)).failures).toBe(0);
      await settle([next], answer(200));
      // An outcome that was written leaves nothing to renew.
      await renewLeases([next]);
      expect(await claim()).toEqual([]);
    });

    test("that ran out in this process is not claimed by it again", async () => {
      const one = await endpoint();
      await addEvents(one, 1);
      const { id } = await claimOne();
      await sql`update webhook_deliveries set next_attempt_at = now(), leased_until = now() where id = ${id}`;
      const { claimed } = await claimDeliveries({ busy: [], withSlow: true }, (due) => due.id === id);
      expect(claimed).toEqual([]);
    });
  });

  describe("an attempt under way", () => {
    test("is the only one whose outcome counts: one of another number leaves no entry and no failure", async () => {
      const one = await endpoint();
      await addEvents(one, 1);
      const delivery = await claimOne();
      await settle([{ ...delivery, number: 7 }, delivery, { ...delivery, number: 2 }], answer(500));
      const attempts = await sql`select number from webhook_attempts where delivery_id = ${delivery.id}`;
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
      const [row] = await sql`select state, attempts from webhook_deliveries where id = ${second}`;
      expect({ ...row }).toEqual({ state: "DELIVERED", attempts: 1 });
    });
  });

  describe("an event", () => {
    test("is due from the start, whatever fraction of a millisecond its instant was rounded by", async () => {
      const one = await endpoint();
      for (let i = 0; i < 100; i++) {
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
      await sql`update webhook_deliveries set next_attempt_at = now() where id = ${id}`;
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
      await sql`update webhook_deliveries set next_attempt_at = now()`;
      expect(await claim()).toEqual([]);
      await settle([second], answer(200));
      expect((await sweep()).status).toBe(200);
      const [left] = await sql<{ count: number }[]>`
        select (select count(*) from workspaces where id = ${one.workspaceId})
          + (select count(*) from webhook_endpoints where workspace_id = ${one.workspaceId})
          + (select count(*) from webhook_deliveries where workspace_id = ${one.workspaceId})
          + (select count(*) from webhook_attempts where workspace_id = ${one.workspaceId}) as count`;
      expect(Number(left?.count)).toBe(0);
    });
  });
});
