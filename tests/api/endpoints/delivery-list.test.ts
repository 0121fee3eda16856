import { describe, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { type DeliveryList, listDeliveries } from "@/lib/outgoing/delivery-queries";
import { getResponseStats } from "@/lib/outgoing/response-queries";
import { addEndpoint } from "../../support/receiver";
import { sql } from "../../support/rows";
import { provisionWorkspace } from "../../support/workspace";

/** A workspace with a paused endpoint. */
async function endpointOf() {
  const { workspaceId } = await provisionWorkspace();
  const { id } = await addEndpoint({ workspaceId }, { url: "https://partner.invalid/hook", mode: "live" });
  await sql`update webhook_endpoints set paused_at = now(), paused_by = 'member' where id = ${id}`;
  return { workspaceId: provenWorkspaceId(workspaceId), endpointId: id };
}
type Place = Awaited<ReturnType<typeof endpointOf>>;

type Given = { id: string; type?: string; subjectId?: string; state?: string; minutesAgo?: number; attempts?: number };
function addDelivery({ workspaceId, endpointId }: Place, given: Given) {
  const { id, type = "message.sent", subjectId = id, state = "DELIVERED", minutesAgo = 0, attempts = 1 } = given;
  return sql`
      insert into webhook_deliveries (
        workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, attempts, created_at)
      values (${workspaceId}, ${id}, ${endpointId}, ${type}, ${subjectId}, 1, '{}', now(), ${state}, ${attempts},
        now() - ${minutesAgo} * interval '1 minute')`;
}

/** Attempts of a delivery: how long each took, and the status or null. */
const addAttempts = ({ workspaceId }: Place, id: string, attempts: readonly (readonly [number, number | null])[]) =>
  sql`
      insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, status_code)
      select ${workspaceId}, ${id}, number, now(), (attempt ->> 0)::int, (attempt ->> 1)::smallint
      from json_array_elements(${JSON.stringify(attempts)}::text::json) with ordinality made (attempt, number)`;

const idsOf = async ({ workspaceId, endpointId }: Place, list: Omit<DeliveryList, "endpointId">) =>
  (await listDeliveries(workspaceId, { endpointId, ...list })).rows.map(({ id }) => id);

describe("the deliveries of an endpoint", () => {
  test("show the last attempt of their own workspace", async () => {
    const [own, other] = [await endpointOf(), await endpointOf()];
    const id = `whd_${crypto.randomUUID()}`;
    for (const place of [own, other]) await addDelivery(place, { id });
    await addAttempts(own, id, [[5, 200]]);
    await addAttempts(other, id, [
      [5, 500],
      [5, 503],
    ]);
    const { rows } = await listDeliveries(own.workspaceId, { endpointId: own.endpointId });
    expect(rows.map(({ lastAttempt }) => lastAttempt)).toEqual([{ statusCode: 200, failure: null, firstLine: null }]);
  });

  test("are found by the id of a message, of a template and of a delivery", async () => {
    const place = await endpointOf();
    await addDelivery(place, { id: "whd_a", subjectId: "msg_1", minutesAgo: 3 });
    await addDelivery(place, { id: "whd_b", subjectId: "msg_1", type: "message.read", minutesAgo: 2 });
    await addDelivery(place, { id: "whd_c", subjectId: "tpl_1", type: "template.approved", minutesAgo: 1 });
    const second = await addEndpoint(place, { url: "https://partner.invalid/other", mode: "live" });
    await addDelivery({ ...place, endpointId: second.id }, { id: "whd_d", subjectId: "msg_1" });
    expect(await idsOf(place, { q: "msg_1" })).toEqual(["whd_b", "whd_a"]);
    expect(await idsOf(place, { q: "msg_1", type: "message.read" })).toEqual(["whd_b"]);
    expect(await idsOf(place, { q: "tpl_1" })).toEqual(["whd_c"]);
    expect(await idsOf(place, { q: "whd_a" })).toEqual(["whd_a"]);
    for (const q of ["whd_d", "msg_2", "%"]) expect(await idsOf(place, { q }), q).toEqual([]);
  });

  test("are narrowed by type, state and time, alone and together", async () => {
    const place = await endpointOf();
    await addDelivery(place, { id: "whd_old", minutesAgo: 90 });
    await addDelivery(place, { id: "whd_failed", state: "FAILED", minutesAgo: 60 });
    await addDelivery(place, { id: "whd_read", type: "message.read", minutesAgo: 30 });
    await addDelivery(place, { id: "whd_waits", type: "message.read", state: "PENDING", minutesAgo: 10 });
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    expect(await idsOf(place, { type: "message.read" })).toEqual(["whd_waits", "whd_read"]);
    expect(await idsOf(place, { type: "message.read", state: "PENDING" })).toEqual(["whd_waits"]);
    expect(await idsOf(place, { state: "FAILED" })).toEqual(["whd_failed"]);
    expect(await idsOf(place, { since: ago(70), until: ago(20) })).toEqual(["whd_read", "whd_failed"]);
    expect(await idsOf(place, { since: ago(70), until: ago(20), type: "message.read" })).toEqual(["whd_read"]);
    expect(await idsOf(place, { since: ago(5) })).toEqual([]);
  });

  test("of a rare type are found page by page, with no more than so many looked through for each", async () => {
    const place = await endpointOf();
    await addDelivery(place, { id: "whd_rare", type: "template.paused", minutesAgo: 600 });
    const newest = new Date().toISOString();
    // In parts, each within a statement's time on a busy machine.
    for (let from = 0; from < 60_000; from += 5_000) {
      await sql`
          insert into webhook_deliveries (
            workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, attempts, created_at)
          select ${place.workspaceId}, 'whd_' || n, ${place.endpointId}, 'message.sent', 'msg_' || n, 1, '{}', now(), 'DELIVERED', 1,
            ${newest}::timestamptz - n * interval '100 ms' from generate_series(${from + 1}::int, ${from + 5_000}::int) n`;
    }
    const list = { endpointId: place.endpointId, type: "template.paused" };
    const first = await listDeliveries(place.workspaceId, list);
    expect([first.rows, first.older?.id]).toEqual([[], "whd_50000"]);
    const second = await listDeliveries(place.workspaceId, { ...list, older: first.older });
    expect([second.rows.map(({ id }) => id), second.older]).toEqual([["whd_rare"], undefined]);
  });
});

describe("how an endpoint has responded", () => {
  test("counts every attempt, and durations of those with a response; what waits in front hides nothing", async () => {
    const place = await endpointOf();
    await addDelivery(place, { id: "whd_1", minutesAgo: 20 });
    await addAttempts(place, "whd_1", [
      [15_000, null],
      [100, 500],
      [200, 204],
    ]);
    await addDelivery(place, { id: "whd_2", minutesAgo: 10 });
    await addAttempts(place, "whd_2", [[300, 200]]);
    await sql`
        insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
        select ${place.workspaceId}, 'whd_w' || n, ${place.endpointId}, 'message.sent', 'msg_' || n, 1, '{}', now()
        from generate_series(1, 2000) n`;
    const responses = await getResponseStats(place.workspaceId, place.endpointId);
    expect(responses).toEqual({ attempts: 4, delivered: 2, answered: 3, p50: 200, p95: 290 });
  });

  test("is unknown before the first attempt", async () => {
    const { workspaceId, endpointId } = await endpointOf();
    const none = { attempts: 0, delivered: 0, answered: 0, p50: null, p95: null };
    expect(await getResponseStats(workspaceId, endpointId)).toEqual(none);
  });
});
