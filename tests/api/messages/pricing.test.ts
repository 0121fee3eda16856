import { describe, expect } from "vitest";
import { erasePhone } from "@/lib/contacts/erase-phone";
import { provenWorkspaceId } from "@/lib/core/principal";
import { findDelivery } from "@/lib/outgoing/delivery-queries";
import { command } from "@/lib/workspaces/record-audit";
import { newPhone } from "../../support/priced-messages";
import { addEndpoint } from "../../support/receiver";
import { requestRows } from "../../support/request-rows";
import { sql } from "../../support/rows";
import { readAt, signIn } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import { provisionWorkspace, report, type TestWorkspace } from "../../support/workspace";

const UTILITY = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
const PUSHED = { billable: true, type: "regular", category: "utility", model: "PMP" };

const send = async (workspace: TestWorkspace, phone: string) => {
  const { id, chatMessageId } = (await workspace.send({ type: "text", phone, content: "Hello" })).body.data;
  return { id, wamid: chatMessageId ?? "" };
};
const priceOf = async ({ workspaceId }: TestWorkspace, id: string) => {
  const [row] = await sql`
      select pricing_billable as billable, pricing_type as type, pricing_category as category, pricing_model as model,
        recipient_country as country, priced_at is not null as "isPriced"
      from messages where workspace_id = ${workspaceId} and id = ${id}`;
  return row;
};
const STORED = { ...PUSHED, country: "BR", isPriced: true };
const UNPRICED = { billable: null, type: null, category: null, model: null, country: null, isPriced: false };

describe("the price of a message", () => {
  test("is stored with the first status that has it, and stays through reports without one or in another shape", async () => {
    const workspace = await provisionWorkspace();
    const { id, wamid } = await send(workspace, newPhone());
    await report(workspace, { id: wamid, status: "sent", pricing: "soon" });
    expect(await priceOf(workspace, id)).toEqual(UNPRICED);
    await report(workspace, { id: wamid, status: "delivered", pricing: UTILITY });
    await report(workspace, { id: wamid, status: "read", pricing: { price: 1 } });
    expect(await priceOf(workspace, id)).toEqual(STORED);
  });

  test("is found in a status that came before the message had WhatsApp's id", async ({ workspace }) => {
    const { id, wamid } = await send(workspace, newPhone());
    await sql`update messages set whatsapp_message_id = null where id = ${id}`;
    await report(workspace, { id: wamid, status: "sent", pricing: UTILITY });
    expect(await priceOf(workspace, id)).toEqual(UNPRICED);
    await sql`update messages set whatsapp_message_id = ${wamid} where id = ${id}`;
    await sweep();
    expect(await priceOf(workspace, id)).toEqual(STORED);
  });

  test("outlives contents and number, and one that comes after both is stored with its country", async () => {
    const workspace = await provisionWorkspace();
    const [phone, other] = [newPhone(), newPhone()];
    const purged = await send(workspace, other);
    const [erased, late] = [await send(workspace, phone), await send(workspace, phone)];
    for (const { wamid } of [purged, erased]) await report(workspace, { id: wamid, status: "sent", pricing: UTILITY });
    const { workspaceId } = workspace;
    await sql`update workspaces set retention_days = 1 where id = ${workspaceId}`;
    await sql`update messages set created_at = created_at - interval '3 days' where id = ${purged.id}`;
    await sweep();
    await erasePhone(provenWorkspaceId(workspaceId), phone, command("test"));
    const rows = await sql`
        select id, phone = 'erased' as "isErased" from messages
        where workspace_id = ${workspaceId} and contents_removed_at is not null`;
    expect(new Map(rows.map((row) => [row.id, row.isErased]))).toEqual(
      new Map([
        [purged.id, false],
        [erased.id, true],
        [late.id, true],
      ]),
    );
    expect(await priceOf(workspace, purged.id)).toEqual(STORED);
    expect(await priceOf(workspace, erased.id)).toEqual(STORED);
    await report(workspace, { id: late.wamid, status: "delivered", pricing: UTILITY, recipient_id: phone });
    expect(await priceOf(workspace, late.id)).toEqual(STORED);
  });

  test("is in the event of the status that brought it and in those after, and not in the status answer", async () => {
    const workspace = await provisionWorkspace();
    const endpoint = await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
    const { id, wamid } = await send(workspace, newPhone());
    await report(workspace, { id: wamid, status: "delivered", pricing: UTILITY });
    await report(workspace, { id: wamid, status: "read" });
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const rows = await sql<{ id: string }[]>`
        select id from webhook_deliveries where workspace_id = ${workspaceId} order by position`;
    const events = await Promise.all(rows.map((row) => findDelivery(workspaceId, endpoint.id, row.id)));
    expect(events.map((event) => [event?.body?.type, event?.body?.data])).toMatchObject([
      ["message.sent", { pricing: null }],
      ["message.delivered", { pricing: PUSHED }],
      ["message.read", { pricing: PUSHED }],
    ]);
    const { data } = (await workspace.status(id)).body;
    expect(Object.keys(data)).toHaveLength(9);
    expect(data).not.toHaveProperty("pricing");
  });

  test("is shown on the pages of the message and of its call, to members of the workspace alone", async () => {
    const [workspace, stranger] = [await provisionWorkspace(), await provisionWorkspace()];
    const { id, wamid } = await send(workspace, newPhone());
    await report(workspace, {
      id: wamid,
      status: "sent",
      pricing: { billable: false, type: "free_customer_service", category: "<b>service</b>" },
    });
    const [call] = await requestRows(workspace, 1);
    const [own, other] = [await signIn(workspace.owner), await signIn(stranger.owner)];
    for (const path of [`messages/${id}`, `requests/${call?.id}`]) {
      const address = `/dashboard/${path}?workspace=${workspace.workspaceId}`;
      const { status, text } = await readAt(address, own);
      expect([status, text]).toEqual([200, expect.stringContaining("free, &lt;b&gt;service&lt;/b&gt;, free_customer")]);
      expect((await readAt(address, other)).text).not.toContain("free_customer_service");
    }
  });
});
