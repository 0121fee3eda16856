import { describe, expect, test } from "vitest";
import { onRows } from "../support/rows";
import { expectSent, PHONE } from "../support/sends";
import { bodyOf, templateRecord } from "../support/template-records";
import { accountWebhook, inboundWebhook } from "../support/webhooks";
import { postWebhook, provisionWorkspace, type TestWorkspace } from "../support/workspace";

const post = async (body: unknown) => {
  const answer = await postWebhook(body);
  expect(answer.status, answer.text).toBe(200);
};
const NOW_SECONDS = Math.floor(Date.now() / 1_000);

describe("templates", () => {
  const record = templateRecord("order", [bodyOf("Hi")]);
  const event = (workspace: TestWorkspace, word: string, more: object = {}, time = NOW_SECONDS) =>
    post(
      accountWebhook(
        workspace,
        "message_template_status_update",
        {
          ...{ event: word, message_template_id: Number(record.id), message_template_name: "order" },
          ...{ message_template_language: "en-US", reason: "NONE", ...more },
        },
        time,
      ),
    );
  const send = (workspace: TestWorkspace) =>
    workspace.send({ type: "template", phone: PHONE, templateName: "order", templateVariables: {} });

  test("a template that is paused can no longer be sent, and one that is approved again can", async () => {
    const workspace = await provisionWorkspace({ templates: [record] });
    expectSent(await send(workspace));
    await event(workspace, "PAUSED");
    const refused = await send(workspace);
    expect([refused.status, refused.body.error]).toEqual([400, "TEMPLATE_NOT_APPROVED"]);
    await event(workspace, "REINSTATED", {}, NOW_SECONDS + 1);
    expectSent(await send(workspace));
  });

  test("a status that comes late changes nothing, and both orders end alike", async () => {
    const workspace = await provisionWorkspace({ templates: [record] });
    await event(workspace, "REJECTED", { reason: "ABUSIVE_CONTENT" }, NOW_SECONDS);
    await event(workspace, "APPROVED", {}, NOW_SECONDS - 60);
    expect((await send(workspace)).body.error).toBe("TEMPLATE_NOT_APPROVED");
    await event(workspace, "APPROVED", {}, NOW_SECONDS + 60);
    await event(workspace, "REJECTED", { reason: "ABUSIVE_CONTENT" }, NOW_SECONDS);
    expectSent(await send(workspace));
    const [row] = await onRows(
      (sql) => sql`select rejected_reason from templates where workspace_id = ${workspace.workspaceId}`,
    );
    expect(row).toEqual({ rejected_reason: null });
  });

  test("an unknown id falls back on name and language; a known one never reaches its namesake", async () => {
    const workspace = await provisionWorkspace({
      templates: [record, templateRecord("namesake", [bodyOf("Hi")], { language: "de" })],
    });
    await event(workspace, "PAUSED", { message_template_id: 1 });
    await event(workspace, "DISABLED", { message_template_name: "namesake", message_template_language: "de" });
    const rows = await onRows(
      (sql) => sql`select name, status from templates where workspace_id = ${workspace.workspaceId} order by name`,
    );
    expect(rows).toEqual([
      { name: "namesake", status: "APPROVED" },
      { name: "order", status: "DISABLED" },
    ]);
  });

  test("an event of another account never reaches a template", async () => {
    const workspace = await provisionWorkspace({ templates: [record] });
    await event({ ...workspace, whatsappBusinessAccountId: "77" }, "DISABLED");
    expectSent(await send(workspace));
  });
});

describe("lines", () => {
  test("quality and name of a line reach it by its number, within its account", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "second" }] });
    const foreign = await provisionWorkspace();
    await onRows(
      (sql) => sql`
        update phone_numbers set display_phone_number = '+1 (555) 010-0000'
        where workspace_id = ${workspace.workspaceId} and id = ${workspace.lines.second?.id ?? ""}`,
    );
    const value = { display_phone_number: "442079460123" };
    await post(accountWebhook(workspace, "phone_number_quality_update", { ...value, event: "FLAGGED" }));
    await post(
      accountWebhook(workspace, "phone_number_name_update", {
        ...{ ...value, display_phone_number: "15550100000" },
        ...{ decision: "APPROVED", requested_verified_name: "Acme" },
      }),
    );
    const lines = (of: TestWorkspace) =>
      onRows(
        (sql) => sql`
          select platform_event, verified_name from phone_numbers where workspace_id = ${of.workspaceId} order by label`,
      );
    expect(await lines(workspace)).toEqual([
      { platform_event: "FLAGGED", verified_name: null },
      { platform_event: "NAME_APPROVED", verified_name: "Acme" },
    ]);
    expect(await lines(foreign)).toEqual([{ platform_event: null, verified_name: null }]);
  });
});

describe("inbound messages", () => {
  const contactsOf = ({ workspaceId }: TestWorkspace) =>
    onRows(
      (sql) => sql<{ phone: string; name: string | null; user: string | null; at: number }[]>`
        select phone, name, whatsapp_user_id as user, extract(epoch from last_inbound_at)::int as at
        from contacts where workspace_id = ${workspaceId} order by phone`,
    );
  const from = (phone: string, seconds = NOW_SECONDS) => ({ from: phone, timestamp: `${seconds}` });
  const profile = (phone: string, name: string, user?: string) => ({
    ...{ wa_id: phone, profile: { name } },
    ...(user ? { user_id: user } : {}),
  });

  test("make and update contacts: the latest time counts, a name that is there stays", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: PHONE, name: "Ada" }] });
    await post(
      inboundWebhook(
        workspace,
        [from(PHONE, NOW_SECONDS), from(PHONE, NOW_SECONDS - 50), from("447700900999")],
        [profile(PHONE, "Nickname", "US.1"), profile("447700900999", "Neu")],
      ),
    );
    await post(inboundWebhook(workspace, [from(PHONE, NOW_SECONDS - 100)]));
    expect(await contactsOf(workspace)).toEqual([
      { phone: PHONE, name: "Ada", user: "US.1", at: NOW_SECONDS },
      { phone: "447700900999", name: "Neu", user: null, at: NOW_SECONDS },
    ]);
    const [line] = await onRows(
      (sql) => sql`
        select last_webhook_at > now() - interval '1 minute' as is_heard from phone_numbers
        where workspace_id = ${workspace.workspaceId}`,
    );
    expect(line).toEqual({ is_heard: true });
  });

  test("somebody without a number is found by the user id", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: PHONE }] });
    await post(inboundWebhook(workspace, [from(PHONE, NOW_SECONDS - 50)], [profile(PHONE, "Ada", "US.1")]));
    await post(inboundWebhook(workspace, [{ from_user_id: "US.1", timestamp: `${NOW_SECONDS}` }]));
    await post(inboundWebhook(workspace, [{ from_user_id: "US.2", timestamp: `${NOW_SECONDS}` }]));
    expect(await contactsOf(workspace)).toEqual([{ phone: PHONE, name: "Ada", user: "US.1", at: NOW_SECONDS }]);
  });

  test("a changed number moves with its contact, unless somebody has it already", async () => {
    const workspace = await provisionWorkspace({
      contacts: [
        { ref: "ada", phone: PHONE },
        { ref: "bob", phone: "447700900124" },
      ],
    });
    const change = (previous: string, next: string) => ({
      ...{ from: previous, type: "system" },
      system: { type: "user_changed_number", wa_id: next, body: "moved" },
    });
    await post(inboundWebhook(workspace, [change(PHONE, "447700900555")]));
    await post(inboundWebhook(workspace, [change("447700900124", "447700900555")]));
    expect((await contactsOf(workspace)).map(({ phone }) => phone)).toEqual(["447700900124", "447700900555"]);
    const sent = await workspace.send({ type: "text", contactId: workspace.contacts.ada, content: "Hi" });
    expectSent(sent);
  });

  test("8 parallel bodies about the same 30 people, each in its own order, all succeed", async () => {
    const workspace = await provisionWorkspace();
    const people = Array.from({ length: 30 }, (_, index) => `4477009${10_000 + index}`);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, round) => {
        const order = people.map((_phone, index) => people[(index * 7 + round) % 30] ?? "");
        return postWebhook(
          inboundWebhook(
            workspace,
            order.flatMap((phone) => [from(phone), { from_user_id: `US.${phone}`, timestamp: `${NOW_SECONDS}` }]),
            order.map((phone) => profile(phone, "Name", `US.${phone}`)),
          ),
        );
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await contactsOf(workspace)).toHaveLength(30);
  });
});
