import { randomInt } from "node:crypto";
import { describe, expect } from "vitest";
import { erasePhone } from "@/lib/contacts/erase-phone";
import { provenWorkspaceId } from "@/lib/core/principal";
import { command } from "@/lib/workspaces/record-audit";
import { tablesHolding } from "../../support/databases";
import { act } from "../../support/people";
import { sql } from "../../support/rows";
import { expectError, expectSent, sentBodies, TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import { bodyOf, templateRecord } from "../../support/template-records";
import { test } from "../../support/test";
import { FLOW_CONTENT, inboundWebhook } from "../../support/webhooks";
import {
  deliver,
  postWebhook,
  provisionWorkspace,
  report,
  scriptMessages,
  statusWebhook,
  type TestWorkspace,
} from "../../support/workspace";

type Person = { phone: string; waId: string };
const tail = () => `${randomInt(10_000_000, 99_999_999)}`;
/** A number as people write it, and as WhatsApp knows it. */
const PEOPLE: [string, () => Person][] = [
  ["Brazil, without the ninth digit", () => numbers("55119", "5511")],
  ["Brazil, with it", () => numbers("5511", "55119")],
  ["Mexico, with the 1", () => numbers("5255", "52155")],
  ["Mexico, without it", () => numbers("52155", "5255")],
  ["Argentina, with the 9", () => numbers("5411", "54911")],
];
const numbers = (before: string, after: string): Person => {
  const end = tail();
  return { phone: `${before}${end}`, waId: `${after}${end}` };
};

const NOW_SECONDS = () => Math.floor(Date.now() / 1_000);
/** What WhatsApp answers to the next send: it knows the number under another one, or does not say. */
const answering = (workspace: TestWorkspace, wamid: string, { phone, waId }: Person, says = true) =>
  scriptMessages(workspace, [
    { json: { ...(says && { contacts: [{ input: `+${phone}`, wa_id: waId }] }), messages: [{ id: wamid }] } },
  ]);
const newWamid = () => `wamid.A${randomInt(10 ** 12)}`;
const sendFlow = (workspace: TestWorkspace, phone: string) =>
  workspace.send({ type: "interactive", phone, content: FLOW_CONTENT });
const NFM_REPLY = { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: "{}" } };
const flowReply = (workspace: TestWorkspace, from: object, wamid?: string) =>
  inboundWebhook(workspace, [
    { type: "interactive", interactive: NFM_REPLY, ...(wamid && { context: { id: wamid } }), ...from },
  ]);

const contactsOf = ({ workspaceId }: TestWorkspace) =>
  sql<{ id: string; phone: string | null; user: string | null; is_open: boolean; aliases: string[] }[]>`
      select id, phone, whatsapp_user_id as user, coalesce(last_inbound_at > now() - interval '1 day', false) as is_open,
        (select coalesce(json_agg(n.name order by n.name), '[]') from contact_names n
          where n.workspace_id = c.workspace_id and n.contact_id = c.id and not n.is_left
            and n.name not in (coalesce(c.phone, ''), coalesce(c.whatsapp_user_id, ''))) as aliases
      from contacts c where workspace_id = ${workspaceId} and merged_into is null order by created_at, id`;
const sessionsOf = async ({ workspaceId }: TestWorkspace): Promise<string[]> => {
  const rows = await sql<{ closed_by: string | null }[]>`
      select closed_by from flow_sessions where workspace_id = ${workspaceId} order by opened_at`;
  return rows.map(({ closed_by }) => closed_by ?? "open");
};

describe("a number that WhatsApp writes otherwise", () => {
  test.each(PEOPLE)("%s: the reply opens the window of the one contact and closes its session", async (_, make) => {
    const person = make();
    const workspace = await provisionWorkspace();
    const wamid = newWamid();
    await answering(workspace, wamid, person);
    expectSent(await sendFlow(workspace, person.phone));
    await deliver(flowReply(workspace, { from: person.waId }, wamid));
    const [contact, ...others] = await contactsOf(workspace);
    expect(others).toEqual([]);
    expect(contact).toMatchObject({ phone: person.phone, is_open: true, aliases: [person.waId] });
    expect(await sessionsOf(workspace)).toEqual(["reply"]);
  });

  test("is learned from the answer, from a status and from a reply, each alone", async () => {
    const learned = async (
      teach: (workspace: TestWorkspace, person: Person, wamid: string) => Promise<unknown>,
      says = false,
    ) => {
      const [person, wamid, workspace] = [numbers("55119", "5511"), newWamid(), await provisionWorkspace()];
      await answering(workspace, wamid, person, says);
      expectSent(await workspace.send({ ...TEXT, phone: person.phone }));
      // Of the same second as what teaches it: a later one would be taken for a change of the number.
      const timestamp = `${NOW_SECONDS()}`;
      await teach(workspace, person, wamid);
      await deliver(inboundWebhook(workspace, [{ from: person.waId, timestamp }]));
      const contacts = await contactsOf(workspace);
      expect(contacts).toHaveLength(1);
      expect(contacts[0]).toMatchObject({ phone: person.phone, is_open: true, aliases: [person.waId] });
      return contacts[0];
    };
    await learned(async () => {}, true);
    const contact = await learned((workspace, { waId }, id) =>
      report(workspace, { id, status: "delivered", recipient_id: waId, recipient_user_id: "BR.1" }),
    );
    expect(contact?.user).toBe("BR.1");
    await learned((workspace, { waId }, id) => deliver(inboundWebhook(workspace, [{ from: waId, context: { id } }])));
    await learned((workspace, { waId, phone }) =>
      deliver(inboundWebhook(workspace, [{ from: phone, from_user_id: "BR.2" }], [{ wa_id: waId, user_id: "BR.2" }])),
    );
  });

  test("whatever order answer, status, message and flow reply come in: one contact, its window open, its session closed", async () => {
    const steps = ["answer", "status", "inbound", "reply"] as const;
    const orders = permutations(steps);
    expect(orders).toHaveLength(24);
    const inOrder = async (order: (typeof orders)[number]) => {
      const [person, wamid, workspace] = [numbers("55119", "5511"), newWamid(), await provisionWorkspace()];
      // The answer comes when the script says so: what comes before it meets a message that is under way.
      const before = order.indexOf("answer");
      await scriptMessages(workspace, [
        {
          delayMs: before === 0 ? 0 : 1_200,
          json: { contacts: [{ input: `+${person.phone}`, wa_id: person.waId }], messages: [{ id: wamid }] },
        },
      ]);
      const sending = sendFlow(workspace, person.phone);
      await expect.poll(() => sentBodies(workspace)).toHaveLength(1);
      for (const step of order) {
        if (step === "answer") expectSent(await sending);
        if (step === "status") await report(workspace, { id: wamid, status: "delivered", recipient_id: person.waId });
        if (step === "inbound") await deliver(inboundWebhook(workspace, [{ from: person.waId }]));
        if (step === "reply") await deliver(flowReply(workspace, { from: person.waId }, wamid));
      }
      await sweep();
      const contacts = await contactsOf(workspace);
      expect(contacts, order.join()).toHaveLength(1);
      expect(contacts[0], order.join()).toMatchObject({ phone: person.phone, is_open: true, aliases: [person.waId] });
      expect(await sessionsOf(workspace), order.join()).toEqual(["reply"]);
    };
    for (let first = 0; first < orders.length; first += 6) {
      await Promise.all(orders.slice(first, first + 6).map(inOrder));
    }
  }, 120_000);

  test("two contacts of one person become one, and the id and the name of either lead to it", async () => {
    const person = numbers("55119", "5511");
    const workspace = await provisionWorkspace({
      contacts: [
        { ref: "written", phone: person.phone, name: "As written" },
        { ref: "known", phone: person.waId, name: "As WhatsApp has it" },
      ],
    });
    await answering(workspace, newWamid(), person);
    expectSent(await workspace.send({ ...TEXT, phone: person.phone }));
    await deliver(inboundWebhook(workspace, [{ from: person.waId }]));
    expect(await contactsOf(workspace)).toMatchObject([{ is_open: true }]);
    for (const contactId of Object.values(workspace.contacts)) {
      expectSent(await workspace.send({ type: "text", contactId, content: "Hi" }));
    }
    const bodies = await sentBodies(workspace);
    const [first, ...others] = bodies.slice(1).map((body) => JSON.parse(body).to);
    expect([`+${person.phone}`, `+${person.waId}`]).toContain(first);
    expect(others).toEqual([first]);
  });

  test("numbers that only look alike are two people", async () => {
    const person = numbers("55119", "5511");
    const workspace = await provisionWorkspace();
    expectSent(await workspace.send({ ...TEXT, phone: person.phone }));
    await deliver(inboundWebhook(workspace, [{ from: person.waId }]));
    expect((await contactsOf(workspace)).map(({ phone, is_open }) => `${phone} ${is_open}`)).toEqual([
      `${person.phone} false`,
      `${person.waId} true`,
    ]);
  });

  test("a send to the alias goes to the number as given, and belongs to the one contact", async () => {
    const person = numbers("55119", "5511");
    const workspace = await provisionWorkspace();
    await answering(workspace, newWamid(), person);
    expectSent(await workspace.send({ ...TEXT, phone: person.phone }));
    expectSent(await workspace.send({ ...TEXT, phone: person.waId }));
    const bodies = await sentBodies(workspace);
    expect(bodies.map((body) => JSON.parse(body).to)).toEqual([`+${person.phone}`, `+${person.waId}`]);
    expect(await contactsOf(workspace)).toHaveLength(1);
  });

  test("the same number in another workspace is another contact", async () => {
    const person = numbers("55119", "5511");
    const [one, other] = [await provisionWorkspace(), await provisionWorkspace()];
    await answering(one, newWamid(), person);
    expectSent(await one.send({ ...TEXT, phone: person.phone }));
    await deliver(inboundWebhook(other, [{ from: person.waId }]));
    expect((await contactsOf(other)).map(({ phone }) => phone)).toEqual([person.waId]);
    expect((await contactsOf(one))[0]?.is_open).toBe(false);
  });

  test("a search by either number finds the contact; members see both masked", async () => {
    const person = numbers("55119", "5511");
    const workspace = await provisionWorkspace();
    await answering(workspace, newWamid(), person);
    expectSent(await workspace.send({ ...TEXT, phone: person.phone }));
    const [contact] = await contactsOf(workspace);
    const page = async (path: string, sign = workspace.owner) => (await readAs(sign, path)).text;
    for (const number of [person.phone, person.waId]) {
      expect(await page(`/dashboard/contacts?q=%2B${number}`)).toContain(contact?.id);
      expect(await page(`/dashboard/contacts?q=%2B${number}`, workspace.member)).toContain(contact?.id);
    }
    expect(await page(`/dashboard/contacts/${contact?.id}`)).toContain(`+${person.waId}`);
    const masked = await page(`/dashboard/contacts/${contact?.id}`, workspace.member);
    expect(masked).not.toContain(person.waId);
    expect(masked).toContain(`•••${person.waId.slice(-4)}`);
  });

  test("an erasure by either number removes both, and a late webhook brings neither back", async () => {
    for (const by of ["phone", "waId"] as const) {
      const person = numbers("55119", "5511");
      const workspace = await provisionWorkspace();
      const wamid = newWamid();
      await answering(workspace, wamid, person);
      expectSent(await workspace.send({ ...TEXT, phone: person.phone }));
      const userId = `BR.${randomInt(10 ** 12)}`;
      const status = { id: wamid, status: "delivered", recipient_id: person.waId, recipient_user_id: userId };
      const late = inboundWebhook(workspace, [
        { from: person.waId, from_user_id: userId, timestamp: `${NOW_SECONDS() - 5}` },
      ]);
      const hidden = inboundWebhook(workspace, [{ from_user_id: userId, timestamp: `${NOW_SECONDS() - 5}` }]);
      await report(workspace, status);
      await deliver(late);
      await erasePhone(provenWorkspaceId(workspace.workspaceId), person[by], command("erase"));
      const forms = [person.phone, person.waId, userId].flatMap((word) => [word, Buffer.from(word).toString("hex")]);
      expect(await tablesHolding(forms)).toEqual([]);
      for (const webhook of [late, hidden, statusWebhook(workspace, [status])]) await deliver(webhook);
      expect((await contactsOf(workspace)).map(({ aliases, user, is_open }) => ({ aliases, user, is_open }))).toEqual([
        { aliases: [], user: null, is_open: false },
      ]);
    }
  });

  test("20 statuses and 20 messages of 20 such people at once make 20 contacts", async ({ workspace }) => {
    const people = Array.from({ length: 20 }, () => ({ ...numbers("55119", "5511"), wamid: newWamid() }));
    for (const { phone, waId, wamid } of people) {
      await answering(workspace, wamid, { phone, waId }, false);
      expectSent(await workspace.send({ ...TEXT, phone }));
    }
    const answers = await Promise.all(
      people.flatMap(({ waId, wamid }) => [
        postWebhook(statusWebhook(workspace, [{ id: wamid, status: "sent", recipient_id: waId }])),
        postWebhook(inboundWebhook(workspace, [{ from: waId, context: { id: wamid } }])),
        postWebhook(statusWebhook(workspace, [{ id: wamid, status: "read", recipient_id: waId }])),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
    const contacts = await contactsOf(workspace);
    expect(contacts.map(({ phone, aliases }) => `${phone} ${aliases}`).sort()).toEqual(
      people.map(({ phone, waId }) => `${phone} ${waId}`).sort(),
    );
  });
});

describe("a person who shows no number", () => {
  const hidden = async () => {
    const workspace = await provisionWorkspace({
      templates: [
        templateRecord("hello", [bodyOf("Hi")]),
        templateRecord("code", [bodyOf("{{1}}")], { category: "AUTHENTICATION" }),
      ],
    });
    const userId = `US.${randomInt(10 ** 12)}`;
    await deliver(
      inboundWebhook(workspace, [{ from_user_id: userId }], [{ user_id: userId, profile: { name: "Eve" } }]),
    );
    const [contact] = await contactsOf(workspace);
    return { workspace, userId, contactId: contact?.id ?? "" };
  };

  test("is a contact, and is sent to by contactId under the user id", async () => {
    const { workspace, userId, contactId } = await hidden();
    expect(await contactsOf(workspace)).toMatchObject([{ phone: null, user: userId, is_open: true }]);
    const sent = await workspace.send({ type: "text", contactId, content: "Hi" });
    expectSent(sent);
    const [body] = (await sentBodies(workspace)).map((text) => JSON.parse(text));
    expect(body).toMatchObject({ recipient: userId, type: "text" });
    expect(body).not.toHaveProperty("to");
    const flow = await workspace.send({ type: "interactive", contactId, content: FLOW_CONTENT });
    expectSent(flow);
    await deliver(flowReply(workspace, { from_user_id: userId }, flow.body.data.chatMessageId ?? ""));
    expect(await sessionsOf(workspace)).toEqual(["reply"]);
    expect(await contactsOf(workspace)).toHaveLength(1);
  });

  test("has the number that a status shows later", async () => {
    const { workspace, userId, contactId } = await hidden();
    const sent = await workspace.send({ type: "text", contactId, content: "Hi" });
    const phone = `1555${tail()}`;
    const id = sent.body.data.chatMessageId ?? "";
    await report(workspace, { id, status: "sent", recipient_id: phone, recipient_user_id: userId });
    expect(await contactsOf(workspace)).toMatchObject([{ id: contactId, phone, user: userId, aliases: [] }]);
  });

  test("is on the pages by user id, masked for members, and can be erased", async () => {
    const { workspace, userId, contactId } = await hidden();
    expectSent(await workspace.send({ type: "text", contactId, content: "secret words 8812" }));
    const page = async (path: string, sign = workspace.owner) => (await readAs(sign, path)).text;
    for (const path of ["/dashboard/contacts", `/dashboard/contacts/${contactId}`, "/dashboard/messages"]) {
      expect(await page(path)).toContain(userId);
      const { status, text } = await readAs(workspace.member, path);
      expect(status).toBe(200);
      expect(text).not.toContain(userId);
    }
    const erased = await act("app/dashboard/contacts/actions.ts#eraseContact", {
      fields: { workspaceId: workspace.workspaceId, contactId },
      as: workspace.owner,
      path: `/dashboard/contacts/${contactId}`,
    });
    expect(erased.said).toMatchObject({ ok: true, value: 1 });
    expect(await tablesHolding([userId, Buffer.from(userId).toString("hex"), "secret words 8812"])).toEqual([]);
    expectError(await workspace.send({ type: "text", contactId, content: "Hi" }), {
      status: 404,
      error: "NOT_FOUND",
      message: expect.stringContaining(contactId),
      details: { field: "contactId", retryable: false },
    });
  });
});

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
