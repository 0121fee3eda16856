import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import {
  deleteEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  rotateSecret,
  sendTestEvent,
} from "@/lib/outgoing/change-endpoint";
import { replayDeliveries } from "@/lib/outgoing/replay-deliveries";
import { command } from "@/lib/workspaces/record-audit";
import { forSuite, forTest } from "../support/for-suite";
import { startOwnDatabase } from "../support/own-database";
import { addEndpoint, type Delivery, startReceiver, verified } from "../support/receiver";
import { sql } from "../support/rows";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";

// A database of its own: every server of a shared one delivers, each with its own bounds.
forSuite(() => startOwnDatabase({}, "API"));

/** A number of the sandbox whose messages are read. */
const READ = "447700900003";
const BY = command("test");

const receiver = (...given: Parameters<typeof startReceiver>) => forTest(startReceiver(...given));

const sendTo = async (workspace: TestWorkspace, headers: Record<string, string> = {}, phone = READ): Promise<string> =>
  (await workspace.send({ type: "text", phone, content: "Hi" }, headers)).body.data.id;

const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);
const within = { timeout: 20_000 };

type Row = { id: string; state: string; attempts: number; type: string; wait: number };
const deliveryRows = ({ workspaceId }: TestWorkspace) => sql<Row[]>`
  select id, state, attempts, type, (extract(epoch from next_attempt_at) - extract(epoch from now()))::float8 as wait
  from webhook_deliveries where workspace_id = ${workspaceId} order by position`;

const endpointRow = async ({ workspaceId }: TestWorkspace) => {
  const [row] = await sql<{ paused_by: string | null; failures: number; failing_since: string | null }[]>`
      select paused_by, failures, failing_since from webhook_endpoints where workspace_id = ${workspaceId}`;
  return row;
};

describe("an event of a message", () => {
  test("is pushed for every status, in order, signed, and with what the status endpoint shows", async () => {
    const partner = await receiver();
    const workspace = await provisionWorkspace({ mode: "test" });
    const { secret } = await addEndpoint(workspace, partner);
    const messageId = await sendTo(workspace, { "Idempotency-Key": "order-1" });
    const types = ["message.sent", "message.delivered", "message.read"];
    await expect.poll(() => typesOf(partner.eventsOf(messageId)), within).toEqual(types);
    const events = partner.eventsOf(messageId);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    const { body, headers } = await workspace.status(messageId);
    const contactId = headers.get("x-contact-id");
    const pricing = { billable: false, type: "free_customer_service", category: "service", model: "PMP" };
    expect(events[2]?.data).toEqual({ ...body.data, contactId, idempotencyKey: "order-1", pricing });
    expect(events[2]?.timestamp).toBe(body.data.readAt);
    for (const delivery of partner.received) {
      expect(verified(delivery, secret)).toEqual(delivery.event);
      expect(delivery.headers["content-type"]).toBe("application/json");
    }
    expect(new Set(partner.received.map(({ id }) => id)).size).toBe(3);
    await expect
      .poll(async () => (await deliveryRows(workspace)).map(({ state, attempts }) => [state, attempts]))
      .toEqual(types.map(() => ["DELIVERED", 1]));
  });

  test("goes to each endpoint that subscribes to it, in its own mode and workspace", async () => {
    const [all, failures, other, live] = [await receiver(), await receiver(), await receiver(), await receiver()];
    const [workspace, stranger] = [
      await provisionWorkspace({ mode: "test" }),
      await provisionWorkspace({ mode: "test" }),
    ];
    await addEndpoint(workspace, all);
    await addEndpoint(workspace, { ...failures, events: ["message.failed"] });
    await addEndpoint(stranger, other);
    await addEndpoint(workspace, { url: live.url, mode: "live" });
    const messageId = await sendTo(workspace, {}, "447700900147");
    await expect.poll(() => typesOf(all.eventsOf(messageId)), within).toEqual(["message.sent", "message.failed"]);
    await expect.poll(() => typesOf(failures.received.map(({ event }) => event))).toEqual(["message.failed"]);
    const [failed] = failures.received;
    // The sequence counts what is not subscribed to, too.
    expect([failed?.event.sequence, failed?.event.data.status]).toEqual([2, "FAILED"]);
    expect(failed?.event.data.failureReason).toEqual(expect.any(String));
    expect([other.received, live.received]).toEqual([[], []]);
  });

  test("is written for each message of a burst about two workspaces, of which only one has an endpoint", async () => {
    const partner = await receiver();
    const workspaces = [await provisionWorkspace({ mode: "test" }), await provisionWorkspace({ mode: "test" })];
    const [one, other] = workspaces.map(({ workspaceId }) => workspaceId);
    for (const workspace of workspaces) for (let i = 0; i < 3; i++) await sendTo(workspace, {}, "447700900001");
    const counts = () =>
      sql`select workspace_id, event_count from messages where workspace_id in (${one ?? ""}, ${other ?? ""}) order by workspace_id, id`;
    await expect.poll(async () => (await counts()).map(({ event_count }) => event_count)).toEqual(Array(6).fill(1));
    await addEndpoint(workspaces[1] as TestWorkspace, partner);
    // Row by row from one workspace to the other.
    await sql`
      update messages m set status = 'READ', delivered_at = now(), read_at = now()
      from (select workspace_id, id from messages where workspace_id in (${one ?? ""}, ${other ?? ""}) order by id) o
      where m.workspace_id = o.workspace_id and m.id = o.id`;
    expect((await counts()).map(({ event_count }) => event_count)).toEqual(Array(6).fill(3));
    const events = ["message.delivered", "message.read"];
    await expect
      .poll(() => typesOf(partner.received.map(({ event }) => event)).sort(), within)
      .toEqual(events.flatMap((type) => Array(3).fill(type)));
    expect(partner.received.map(({ event }) => event.sequence).sort()).toEqual([2, 2, 2, 3, 3, 3]);
  });

  test("is delivered again until it is taken, with one id, and what came after it waits", async () => {
    let left = 2;
    const partner = await receiver((_, response) => response.writeHead(left-- > 0 ? 500 : 204).end());
    const workspace = await provisionWorkspace({ mode: "test" });
    await addEndpoint(workspace, partner);
    const messageId = await sendTo(workspace);
    await expect.poll(async () => (await deliveryRows(workspace)).length, within).toBe(3);
    // Retries come after 5 and 30 seconds; the test does not wait for the second.
    await expect.poll(() => partner.received.length, within).toBe(2);
    await expect.poll(async () => (await endpointRow(workspace))?.failures, within).toBe(2);
    await sql`
        update webhook_deliveries set next_attempt_at = now()
        where workspace_id = ${workspace.workspaceId} and next_attempt_at < now() + interval '40 seconds'`;
    await expect
      .poll(() => typesOf(partner.eventsOf(messageId)), within)
      .toEqual(["message.sent", "message.sent", "message.sent", "message.delivered", "message.read"]);
    const ids = partner.received.slice(0, 3).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    const history = await sql<{ number: number; status_code: number }[]>`
        select number, status_code from webhook_attempts
        where workspace_id = ${workspace.workspaceId} and delivery_id = ${ids[0] ?? ""} order by number`;
    expect(history.map((row) => ({ ...row }))).toEqual(
      [500, 500, 204].map((code, i) => ({ number: i + 1, status_code: code })),
    );
  });

  test("waits as long as Retry-After asks", async () => {
    const partner = await receiver((_, response) => response.writeHead(429, { "Retry-After": "120" }).end());
    const workspace = await provisionWorkspace({ mode: "test" });
    await addEndpoint(workspace, { ...partner, events: ["message.sent"] });
    await sendTo(workspace);
    await expect.poll(async () => (await endpointRow(workspace))?.failures, within).toBe(1);
    const [row] = await deliveryRows(workspace);
    expect(row?.wait).toBeGreaterThan(100);
    expect(row?.wait).toBeLessThanOrEqual(120);
  });

  test("waits as long as Retry-After of another asks, although one that was under way is delivered", async () => {
    let deliver = () => {};
    const partner = await receiver((_, response) => {
      deliver = () => response.writeHead(200).end();
    });
    const workspace = await provisionWorkspace({ mode: "test" });
    await addEndpoint(workspace, { ...partner, events: ["message.sent"] });
    await sendTo(workspace);
    await expect.poll(() => partner.received.length, within).toBe(1);
    partner.answerWith((_, response) => response.writeHead(429, { "Retry-After": "30" }).end());
    await sendTo(workspace);
    await expect.poll(async () => (await endpointRow(workspace))?.failures, within).toBe(1);
    deliver();
    await expect.poll(async () => (await endpointRow(workspace))?.failures, within).toBe(0);
    await sendTo(workspace);
    await expect.poll(async () => (await deliveryRows(workspace)).length, within).toBe(3);
    await sleep(1_000);
    expect(partner.received).toHaveLength(2);
  });
});

describe("an endpoint", () => {
  test("that answers 410 is paused, and keeps what waits for a resume", async () => {
    const partner = await receiver((_, response) => response.writeHead(410).end());
    const workspace = await provisionWorkspace({ mode: "test" });
    const { id } = await addEndpoint(workspace, partner);
    const messageId = await sendTo(workspace);
    await expect.poll(async () => (await endpointRow(workspace))?.paused_by, within).toBe("gone");
    partner.answerWith((_, response) => response.writeHead(200).end());
    await expect.poll(async () => (await deliveryRows(workspace)).length, within).toBe(3);
    expect(partner.received).toHaveLength(1);
    await resumeEndpoint(provenWorkspaceId(workspace.workspaceId), id, BY);
    await expect
      .poll(() => typesOf(partner.eventsOf(messageId).slice(1)), within)
      .toEqual(["message.sent", "message.delivered", "message.read"]);
  });

  test("that has failed for five days is paused", async () => {
    const partner = await receiver((_, response) => response.writeHead(500).end());
    const workspace = await provisionWorkspace({ mode: "test" });
    const { id } = await addEndpoint(workspace, { ...partner, events: ["message.sent"] });
    await sql`
        update webhook_endpoints set failures = 9, failing_since = now() - interval '5 days 1 minute',
          held_until = now() - interval '16 hours' where id = ${id}`;
    await sendTo(workspace);
    await expect.poll(async () => (await endpointRow(workspace))?.paused_by, within).toBe("failing");
  });

  test("that failed long ago, and then had nothing to receive, is not paused by its next failure", async () => {
    const partner = await receiver((_, response) => response.writeHead(500).end());
    const workspace = await provisionWorkspace({ mode: "test" });
    const { id } = await addEndpoint(workspace, { ...partner, events: ["message.sent"] });
    await sql`
        update webhook_endpoints set failures = 14, failing_since = now() - interval '9 days',
          held_until = now() - interval '5 days' where id = ${id}`;
    await sendTo(workspace);
    await expect.poll(async () => (await endpointRow(workspace))?.failures, within).toBeLessThan(14);
    const row = await endpointRow(workspace);
    expect(row?.paused_by).toBeNull();
    expect(Date.now() - Date.parse(row?.failing_since ?? "")).toBeLessThan(60_000);
  });

  test("accepts either secret during a rotation, and only the new one after it", async () => {
    const partner = await receiver();
    const workspace = await provisionWorkspace({ mode: "test" });
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const { id, secret } = await addEndpoint(workspace, partner);
    const next = await rotateSecret(workspaceId, { endpointId: id, overlap: "24h" }, BY);
    await sendTestEvent(workspaceId, id);
    await expect.poll(() => partner.received.length, within).toBe(1);
    const [first] = partner.received as [Delivery];
    expect(first.event.type).toBe("webhook.test");
    for (const one of [secret, next]) expect(verified(first, one)).toEqual(first.event);
    await sql`update webhook_endpoints set previous_secret_ends_at = now() where id = ${id}`;
    await sendTestEvent(workspaceId, id);
    await expect.poll(() => partner.received.length, within).toBe(2);
    const [, second] = partner.received as [Delivery, Delivery];
    expect(verified(second, next)).toEqual(second.event);
    expect(() => verified(second, secret)).toThrow();
  });

  test("that is deleted while a status is written never fails the send", async () => {
    const partner = await receiver();
    const workspace = await provisionWorkspace({ mode: "test" });
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    for (let round = 0; round < 5; round++) {
      const { id } = await addEndpoint(workspace, partner);
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, () => workspace.send({ type: "text", phone: READ, content: "Hi" }))),
        deleteEndpoint(workspaceId, id, BY),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    }
  });

  test("is one of five at most in its mode, however many are made at once", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, () => addEndpoint(workspace, { url: "https://example.com/hook" })),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    for (const one of made) {
      if (one.status === "rejected") expect(String(one.reason)).toContain("5 test endpoints, which is the limit");
    }
    await addEndpoint(workspace, { url: "https://example.com/hook", mode: "live" });
  });
});

describe("an endpoint that someone is changing", () => {
  test("keeps no other endpoint waiting while its attempts fail", async () => {
    const [failing, well] = [await receiver((_, response) => response.writeHead(500).end()), await receiver()];
    const [one, other] = [await provisionWorkspace({ mode: "test" }), await provisionWorkspace({ mode: "test" })];
    const { id } = await addEndpoint(one, failing);
    const neighbour = await addEndpoint(other, well);
    await sql.begin(async (tx) => {
      await tx`select from webhook_endpoints where id = ${id} for no key update`;
      await sql`
          insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
          values (${one.workspaceId}, 'whd_held', ${id}, 'webhook.test', 'whd_held', 1, '{}', now())`;
      await expect.poll(() => failing.received.length, within).toBe(1);
      await sendTestEvent(provenWorkspaceId(other.workspaceId), neighbour.id);
      await expect.poll(() => well.received.length, within).toBe(1);
    });
    await expect.poll(async () => (await endpointRow(one))?.failures, within).toBe(1);
  });
});

describe("an endpoint that refuses some messages", () => {
  test("receives the others at once, while the refused wait for their retries and hold back their own later events", async () => {
    const refused = new Set<string>();
    const partner = await receiver(({ event: { data } }, response) =>
      response.writeHead(refused.has(data.id) ? 404 : 204).end(),
    );
    const workspace = await provisionWorkspace({ mode: "test" });
    const { id } = await addEndpoint(workspace, { ...partner, events: ["message.sent"] });
    await pauseEndpoint(provenWorkspaceId(workspace.workspaceId), id, BY);
    for (let i = 0; i < 12; i++) refused.add(await sendTo(workspace));
    await resumeEndpoint(provenWorkspaceId(workspace.workspaceId), id, BY);
    // Each is retried after 5 s: so often in a row, a failure would hold the endpoint for a minute.
    await expect.poll(() => partner.received.length, within).toBeGreaterThanOrEqual(24);
    const messageId = await sendTo(workspace);
    await expect.poll(() => typesOf(partner.eventsOf(messageId)), within).toEqual(["message.sent"]);
    expect(await endpointRow(workspace)).toMatchObject({ failures: 0, failing_since: null, paused_by: null });
  });
});

describe("an endpoint whose answers take a while", () => {
  test("has far more than 16 attempts under way where no other waits", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    let isHeld = false;
    const waiting: (() => void)[] = [];
    const partner = await receiver((_, response) => {
      const answer = () => response.writeHead(204).end();
      if (!isHeld) return answer();
      waiting.push(answer);
      if (waiting.length >= 60) for (const one of waiting.splice(0)) one();
    });
    const { id } = await addEndpoint(workspace, partner);
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    for (let i = 0; i < 4; i++) await sendTestEvent(workspaceId, id);
    await expect
      .poll(async () => (await deliveryRows(workspace)).filter(({ state }) => state === "DELIVERED").length, within)
      .toBe(4);
    await pauseEndpoint(workspaceId, id, BY);
    await sql`
        insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
        select ${workspaceId}, 'whd_many_' || n, ${id}, 'webhook.test', 'whd_many_' || n, 1, '{}', now()
        from generate_series(1, 200) n`;
    isHeld = true;
    await resumeEndpoint(workspaceId, id, BY);
    await expect.poll(() => partner.received.length, within).toBeGreaterThanOrEqual(64);
    isHeld = false;
    for (const one of waiting.splice(0)) one();
    await expect.poll(() => partner.received.length, within).toBe(204);
  });
});

describe("an endpoint that never answers", () => {
  test("has 16 attempts under way at most, and delays no other endpoint and no send", async () => {
    const [silent, well] = [await receiver(() => undefined), await receiver()];
    const [crowd, neighbour] = [await provisionWorkspace({ mode: "test" }), await provisionWorkspace({ mode: "test" })];
    await addEndpoint(crowd, { ...silent, events: ["message.sent"] });
    await Promise.all(Array.from({ length: 40 }, () => sendTo(crowd)));
    await expect.poll(() => silent.received.length, within).toBe(16);
    await addEndpoint(neighbour, well);
    const messageId = await sendTo(neighbour);
    const types = ["message.sent", "message.delivered", "message.read"];
    await expect.poll(() => typesOf(well.eventsOf(messageId)), within).toEqual(types);
    expect(silent.received).toHaveLength(16);
    // They are given up after 15 s, and from then on one at a time is tried.
    await expect.poll(async () => (await endpointRow(crowd))?.failures ?? 0, { timeout: 30_000 }).toBeGreaterThan(0);
    const words = await sql<{ failure: string }[]>`
        select distinct failure from webhook_attempts where workspace_id = ${crowd.workspaceId}`;
    expect(words.map(({ failure }) => failure)).toEqual(["No response within 15 s."]);
  });
});

describe("an endpoint whose responses have no end", () => {
  test("has received what it answered 200 to, and soon receives the next", async () => {
    const dripping = await receiver((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("."), 100);
      response.on("close", () => clearInterval(timer));
    });
    const workspace = await provisionWorkspace({ mode: "test" });
    await addEndpoint(workspace, { ...dripping, events: ["message.sent"] });
    await Promise.all(Array.from({ length: 20 }, () => sendTo(workspace)));
    const states = async () => (await deliveryRows(workspace)).map(({ state, attempts }) => `${state} ${attempts}`);
    await expect.poll(states, within).toEqual(Array(20).fill("DELIVERED 1"));
  });
});

describe("a replay", () => {
  test("sends what was delivered again, one or all of a time, under the same id", async () => {
    const partner = await receiver();
    const workspace = await provisionWorkspace({ mode: "test" });
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const { id } = await addEndpoint(workspace, partner);
    const messageId = await sendTo(workspace);
    const settled = async () => (await deliveryRows(workspace)).filter(({ state }) => state === "DELIVERED");
    await expect.poll(async () => (await settled()).length, within).toBe(3);
    const [first] = await deliveryRows(workspace);
    expect(await replayDeliveries(workspaceId, { endpointId: id, deliveryId: first?.id ?? "" }, BY)).toBe(1);
    await expect.poll(() => partner.received.filter((one) => one.id === first?.id).length, within).toBe(2);
    await expect.poll(async () => (await settled()).length, within).toBe(3);
    const range = { since: new Date(Date.now() - 60_000), until: new Date() };
    expect(await replayDeliveries(workspaceId, { endpointId: id, ...range, isFailedOnly: true }, BY)).toBe(0);
    expect(await replayDeliveries(workspaceId, { endpointId: id, ...range, isFailedOnly: false }, BY)).toBe(3);
    await expect
      .poll(() => typesOf(partner.eventsOf(messageId).slice(4)), within)
      .toEqual(["message.sent", "message.delivered", "message.read"]);
  });
});

describe("a delivery that waits for its retry", () => {
  test("is sent at once when someone asks, after the events of its message that come before it", async () => {
    const partner = await receiver((_, response) => response.writeHead(500).end());
    const workspace = await provisionWorkspace({ mode: "test" });
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const { id } = await addEndpoint(workspace, partner);
    const messageId = await sendTo(workspace);
    await expect.poll(async () => (await deliveryRows(workspace)).length, within).toBe(3);
    await sql`
      update webhook_deliveries set next_attempt_at = now() + interval '8 hours', leased_until = null
      where workspace_id = ${workspaceId}`;
    const before = partner.received.length;
    partner.answerWith((_, response) => response.writeHead(200).end());
    const [, , read] = await deliveryRows(workspace);
    expect(await replayDeliveries(workspaceId, { endpointId: id, deliveryId: read?.id ?? "" }, BY)).toBe(3);
    await expect
      .poll(() => typesOf(partner.eventsOf(messageId).slice(before)), within)
      .toEqual(["message.sent", "message.delivered", "message.read"]);
  });

  test("is left alone while an attempt is under way", async () => {
    const partner = await receiver(() => {});
    const workspace = await provisionWorkspace({ mode: "test" });
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const { id } = await addEndpoint(workspace, { ...partner, events: ["message.sent"] });
    await sendTo(workspace);
    await expect.poll(() => partner.received.length, within).toBe(1);
    const [only] = await deliveryRows(workspace);
    expect(await replayDeliveries(workspaceId, { endpointId: id, deliveryId: only?.id ?? "" }, BY)).toBe(0);
    await sleep(1_000);
    expect(partner.received).toHaveLength(1);
  });
});

describe("a replay of a range", () => {
  test("sends nothing again that it has sent itself, however long its parts take", async () => {
    const workspace = await provisionWorkspace();
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const { id } = await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
    await pauseEndpoint(workspaceId, id, BY);
    await sql`
        insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state,
          settled_at, attempts, created_at)
        select ${workspaceId}, 'whd_' || n, ${id}, 'webhook.test', 'whd_' || n, 1, '{}', now(), 'DELIVERED',
          now() - interval '1 minute', 1, now() - interval '1 hour' + n * interval '1 ms'
        from generate_series(1, 2001) n`;
    const waiting = async () => {
      const [row] = await sql<{ count: number }[]>`
          select count(*)::int as count from webhook_deliveries where workspace_id = ${workspaceId} and state = 'PENDING'`;
      return row?.count;
    };
    const range = { since: new Date(Date.now() - 7_200_000), until: new Date(), isFailedOnly: false };
    let replay: Promise<number> | undefined;
    await sql.begin(async (tx) => {
      // The second part waits for this row, and one of the first is delivered.
      await tx`select from webhook_deliveries where workspace_id = ${workspaceId} and id = 'whd_1500' for update`;
      replay = replayDeliveries(workspaceId, { endpointId: id, ...range }, BY);
      await expect.poll(waiting, within).toBe(1_000);
      await sql`
          update webhook_deliveries set state = 'DELIVERED', settled_at = now(), attempts = 2
          where workspace_id = ${workspaceId} and id = 'whd_17'`;
    });
    expect(await replay).toBe(2_001);
    expect(await waiting()).toBe(2_000);
  });
});

describe("a host that may not be called", () => {
  test.each([
    ["a live endpoint on this machine", "live", "http://127.0.0.1:9/hook", /must begin with https/],
    ["a private address", "test", "https://10.0.0.1/hook", /public internet address/],
    ["a name that leads to this machine", "live", "https://localhost/hook", /public internet address/],
  ] as const)("%s gets no connection", async (_, mode, url, words) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const { id } = await addEndpoint(workspace, { url, mode });
    await sendTestEvent(provenWorkspaceId(workspace.workspaceId), id);
    const failures = () => sql<{ failure: string; status_code: number | null }[]>`
      select failure, status_code from webhook_attempts where workspace_id = ${workspace.workspaceId}`;
    await expect.poll(async () => (await failures()).length, within).toBe(1);
    const [attempt] = await failures();
    expect([attempt?.failure, attempt?.status_code]).toEqual([expect.stringMatching(words), null]);
  });

  test("redirects are not followed, and no more than 4 KB of a response is read", async () => {
    const target = await receiver();
    const partner = await receiver((delivery, response) =>
      delivery.event.type === "message.sent"
        ? response.writeHead(307, { location: target.url }).end("x".repeat(100_000))
        : response.writeHead(200).end("\0"),
    );
    const workspace = await provisionWorkspace({ mode: "test" });
    await addEndpoint(workspace, { ...partner, events: ["message.sent"] });
    await sendTo(workspace);
    const attempts = () => sql<{ status_code: number; response: string }[]>`
      select status_code, response from webhook_attempts where workspace_id = ${workspace.workspaceId}`;
    await expect.poll(async () => (await attempts()).length, within).toBe(1);
    const [attempt] = await attempts();
    expect([attempt?.status_code, attempt?.response.length]).toEqual([307, 4_096]);
    expect(target.received).toEqual([]);
  });
});
