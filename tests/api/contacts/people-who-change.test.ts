import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { eraseContact, erasePhone } from "@/lib/contacts/erase-phone";
import { importContacts, renameContact } from "@/lib/contacts/save-contacts";
import { provenWorkspaceId } from "@/lib/core/principal";
import { command } from "@/lib/workspaces/record-audit";
import { tablesHolding } from "../../support/databases";
import { testServers } from "../../support/environment";
import { provisionAgain } from "../../support/provision";
import { whileLocked } from "../../support/row-lock";
import { auditEntries, sql } from "../../support/rows";
import { expectInvalid, expectSent, KEY, sentBodies } from "../../support/sends";
import { readAs } from "../../support/session";
import { templateRecord } from "../../support/template-records";
import { test } from "../../support/test";
import { accountWebhook, FLOW_CONTENT, inboundWebhook } from "../../support/webhooks";
import {
  deliver,
  postWebhook,
  provisionWorkspace,
  report,
  scriptMessages,
  type TestWorkspace,
} from "../../support/workspace";

type Names = { phone: string; id: string };
type Line = Pick<TestWorkspace, "whatsappPhoneNumberId" | "whatsappBusinessAccountId">;

const newNames = (): Names => ({ phone: `4479${randomInt(10_000_000, 99_999_999)}`, id: `GB.${randomInt(10 ** 12)}` });
const at = (seconds: number) => `${Math.floor(Date.now() / 1_000) + seconds}`;
const text = (recipient: object) => ({ type: "text", content: "Hi", ...recipient });

const message = (line: Line, { phone, id }: Partial<Names>, more: object = {}) =>
  inboundWebhook(line, [{ from: phone, from_user_id: id, timestamp: at(-60), ...more }]);

/** Every form in which WhatsApp announces the same change. */
const NOTICES: Record<string, (line: Line, from: Names, to: Names) => unknown> = {
  "number and ids": (line, from, to) =>
    system(
      line,
      { from: from.phone },
      { type: "user_changed_number", wa_id: to.phone, user_id: to.id, previous_user_id: from.id },
    ),
  "number, in its older spelling": (line, from, to) =>
    system(line, { from: from.phone }, { type: "user_changed_number", new_wa_id: to.phone, user_id: to.id }),
  "id, and the new number": (line, from, to) =>
    system(line, {}, { type: "user_changed_user_id", user_id: to.id, previous_user_id: from.id, wa_id: to.phone }),
  "id, from the old one": (line, from, to) =>
    system(line, { from_user_id: from.id }, { type: "user_changed_user_id", user_id: to.id, wa_id: to.phone }),
  "id, in words": (line, from, to) =>
    system(
      line,
      {},
      { type: "user_changed_user_id", body: `User A changed from ${from.id} to ${to.id}`, wa_id: to.phone },
    ),
  "field of its own": (line, from, to) =>
    accountWebhook(line, "user_id_update", {
      metadata: { phone_number_id: line.whatsappPhoneNumberId },
      user_id_update: [
        { wa_id: to.phone, user_id: { previous: from.id, current: to.id }, detail: "changed", timestamp: at(-30) },
      ],
    }),
};
const system = (line: Line, sender: object, said: object) =>
  inboundWebhook(line, [{ type: "system", timestamp: at(-30), ...sender, system: said }]);
const idOnly = (line: Line, from: Names, to: Names) =>
  system(line, {}, { type: "user_changed_user_id", user_id: to.id, previous_user_id: from.id });

const contactsOf = ({ workspaceId }: TestWorkspace) =>
  sql<{ id: string; phone: string | null; user: string | null; is_open: boolean }[]>`
      select id, phone, whatsapp_user_id as user, coalesce(last_inbound_at > now() - interval '1 day', false) as is_open
      from contacts where workspace_id = ${workspaceId} and merged_into is null and erased_at is null order by created_at, id`;
const onlyContact = async (workspace: TestWorkspace) => {
  const contacts = await contactsOf(workspace);
  expect(contacts).toHaveLength(1);
  return contacts[0] ?? { id: "", phone: null, user: null, is_open: false };
};
/** Where the next send to the contact goes. */
const reaches = async (workspace: TestWorkspace, contactId: string, more: object = {}) => {
  expectSent(await workspace.send(text({ contactId, ...more })));
  const { to, recipient } = JSON.parse((await sentBodies(workspace)).at(-1) ?? "{}");
  return to ?? recipient;
};

const nameOf = (contactId: string) => sql`select name from contacts where id = ${contactId}`;

/** A person who has written once. */
const known = async () => {
  const workspace = await provisionWorkspace();
  const before = newNames();
  await deliver(message(workspace, before));
  const { id: contactId } = await onlyContact(workspace);
  return { workspace, before, after: newNames(), contactId };
};

describe("201: a send to a person who changed the number", () => {
  test.each(Object.entries(NOTICES))("notice of %s: contactId reaches the new number", async (_, notice) => {
    const { workspace, before, after, contactId } = await known();
    await deliver(notice(workspace, before, after));
    await deliver(notice(workspace, before, after));
    expect(await reaches(workspace, contactId)).toBe(`+${after.phone}`);
    // What is under the old id and late is the same person's, too.
    await deliver(message(workspace, before));
    await deliver(message(workspace, after, { timestamp: at(0) }));
    expect(await onlyContact(workspace)).toEqual({ id: contactId, phone: after.phone, user: after.id, is_open: true });
  });

  test.each(Object.entries(NOTICES))(
    "notice of %s, after the first message: two contacts become one",
    async (_, notice) => {
      const { workspace, before, after, contactId } = await known();
      await deliver(message(workspace, after, { timestamp: at(-20) }));
      const [, second] = await contactsOf(workspace);
      expect(second).toBeDefined();
      await deliver(notice(workspace, before, after));
      expect((await onlyContact(workspace)).is_open).toBe(true);
      for (const id of [contactId, second?.id ?? ""]) expect(await reaches(workspace, id)).toBe(`+${after.phone}`);
      const merged = { action: "contact.merged", target_id: contactId, after: { mergedContactId: second?.id } };
      expect(await auditEntries(workspace.workspaceId)).toContainEqual(expect.objectContaining(merged));
    },
  );

  test("a notice without a number: the former one is not sent to, the new user id is", async () => {
    const { workspace, before, after, contactId } = await known();
    await deliver(idOnly(workspace, before, after));
    expect(await reaches(workspace, contactId)).toBe(after.id);
    await deliver(message(workspace, after, { timestamp: at(0) }));
    expect(await reaches(workspace, contactId)).toBe(`+${after.phone}`);
  });

  test("by phone it goes to the number as given, with a Warning, and makes a contact of its own for the next owner", async () => {
    const { workspace, before, after, contactId } = await known();
    await deliver(NOTICES["number and ids"]?.(workspace, before, after));
    for (let times = 0; times < 2; times++) {
      const sent = await workspace.send(text({ phone: before.phone }));
      expectSent(sent);
      expect(sent.headers.get("warning")).toMatch(/^299 - "[\x20-\x7e]+"$/);
    }
    const other = await workspace.send(text({ phone: after.phone }));
    expect(other.headers.get("warning")).toBeNull();
    const stranger = { phone: before.phone, id: `GB.${randomInt(10 ** 12)}` };
    await deliver(message(workspace, stranger, { timestamp: at(0) }));
    expect((await workspace.send(text({ phone: before.phone }))).headers.get("warning")).toBeNull();
    expect((await contactsOf(workspace)).map(({ phone, user }) => [phone, user])).toEqual([
      [after.phone, after.id],
      [stranger.phone, stranger.id],
    ]);
    expect(await reaches(workspace, contactId)).toBe(`+${after.phone}`);
  });

  test("without a notice the next owner of a number, by another user id, is another person", async () => {
    const { workspace, before, contactId } = await known();
    const stranger = { ...newNames(), phone: before.phone };
    await deliver(message(workspace, stranger, { timestamp: at(0) }));
    expect((await contactsOf(workspace)).map(({ phone, user }) => [phone, user])).toEqual([
      [null, null],
      [stranger.phone, stranger.id],
    ]);
    expectInvalid(await workspace.send(text({ contactId })), { contactId: "no current number" });
  });

  test("each portfolio is sent its own user id, and none flips between them", async () => {
    const account = `${randomInt(10 ** 9, 10 ** 10)}`;
    const workspace = await provisionWorkspace({
      lines: [
        { ref: "one", whatsappBusinessAccountId: account },
        { ref: "two", whatsappBusinessAccountId: `${account}9` },
      ],
    });
    const { phone, id } = newNames();
    const lines = Object.values(workspace.lines);
    for (const shown of [phone, undefined]) {
      for (const [index, line] of lines.entries()) await deliver(message(line, { phone: shown, id: `${id}${index}` }));
    }
    const contact = await onlyContact(workspace);
    // As for a person who hides the number from now on.
    await sql`
        update contact_names set is_left = true where workspace_id = ${workspace.workspaceId} and name = ${phone}`;
    await sql`update contacts set phone = null where workspace_id = ${workspace.workspaceId}`;
    const sent: unknown[] = [];
    for (const line of lines) {
      expectSent(await workspace.send(text({ contactId: contact.id, phoneNumberId: line.id })));
      sent.push(JSON.parse((await sentBodies(line)).at(-1) ?? "{}").recipient);
    }
    expect(sent).toEqual([`${id}0`, `${id}1`]);
  });

  test("flow sessions, messages and pages follow the person", async () => {
    const { workspace, before, after } = await known();
    await deliver(message(workspace, after, { timestamp: at(-20) }));
    const contacts = await contactsOf(workspace);
    const flow = { type: "interactive", content: FLOW_CONTENT };
    for (const { id } of contacts) expectSent(await workspace.send({ ...flow, contactId: id }));
    await deliver(NOTICES["field of its own"]?.(workspace, before, after));
    const { id } = await onlyContact(workspace);
    const openSessions = () => sql`
        select contact_id from flow_sessions where workspace_id = ${workspace.workspaceId} and closed_at is null`;
    expect(await openSessions()).toEqual([{ contact_id: id }, { contact_id: id }]);
    expectSent(await workspace.send({ ...text({ contactId: contacts[1]?.id }), revalidateFlowSession: true }));
    expect(await openSessions()).toEqual([]);
    const page = async (path: string) => (await readAs(workspace.owner, path)).text;
    for (const contact of contacts) {
      const shown = await page(`/dashboard/contacts/${contact.id}`);
      for (const name of [`+${after.phone}`, after.id, `+${before.phone}`, before.id]) expect(shown).toContain(name);
      const list = await page(`/dashboard/messages?q=${contact.id}`);
      expect(list.match(/msg_[0-9a-z]{26}/g)?.length).toBeGreaterThanOrEqual(3);
      expect(await page(`/dashboard/contacts?q=%2B${before.phone}`)).toContain(id);
    }
  });

  test("provisioning the file again keeps the new number, and gives either ref its id", async () => {
    const [before, after] = [newNames(), newNames()];
    const contacts = [
      { ref: "old", phone: before.phone, name: "Ada" },
      { ref: "new", phone: after.phone, name: "Ada" },
    ];
    const workspace = await provisionWorkspace({ contacts });
    await deliver(system(workspace, { from: before.phone }, { type: "user_changed_number", wa_id: after.phone }));
    const { old } = workspace.contacts;
    for (let times = 0; times < 2; times++) {
      expect(await provisionAgain(workspace, contacts)).toEqual({ old, new: old });
    }
    for (const contactId of Object.values(workspace.contacts)) {
      expect(await reaches(workspace, contactId)).toBe(`+${after.phone}`);
    }
  });
});

describe("a file that cannot be provisioned", () => {
  test("names the contact that has the number which it gives to one that was merged", async () => {
    const [before, after, taken] = [newNames(), newNames(), newNames()];
    const old = { ref: "old", phone: before.phone, name: "Ada" };
    const contacts = [
      old,
      { ref: "new", phone: after.phone, name: "Ada" },
      { ref: "bob", phone: taken.phone, name: "Bob" },
    ];
    const workspace = await provisionWorkspace({ contacts });
    await deliver(system(workspace, { from: before.phone }, { type: "user_changed_number", wa_id: after.phone }));
    const again = provisionAgain(workspace, [old, { ref: "new", phone: taken.phone, name: "Ada" }]);
    await expect(again).rejects.toThrow(/which the contact "bob" has already/);
  });
});

describe("400: a user id that WhatsApp does not know any more", () => {
  test("is the recipient's: not retryable, and the line's token is not blamed", async ({ workspace }) => {
    const { id } = newNames();
    await deliver(message(workspace, { id }));
    const { id: contactId } = await onlyContact(workspace);
    const error = { message: "Unsupported post request.", type: "GraphMethodException", code: 100, error_subcode: 33 };
    await scriptMessages(workspace, [{ status: 400, json: { error } }]);
    const refused = await workspace.send(text({ contactId }));
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({
      error: "CHAT_GRAPH_ERROR",
      message: expect.stringContaining("user id"),
      details: { retryable: false, outcome: "not_sent", platform: { code: 100, subcode: 33 } },
    });
    expect(refused.text).not.toContain("access token");
    const [line] = await sql`select token_problem from phone_numbers where workspace_id = ${workspace.workspaceId}`;
    expect(line).toEqual({ token_problem: null });
  });
});

describe("what a webhook shows of a person", () => {
  test("a status of a message to a number that another person has by now moves no id to the former owner", async () => {
    const { workspace, before } = await known();
    const sent = await workspace.send(text({ phone: before.phone }));
    const status = { id: sent.body.data.chatMessageId ?? "", status: "delivered", recipient_id: before.phone };
    await report(workspace, { ...status, recipient_user_id: "GB.stranger" });
    expect(await onlyContact(workspace)).toMatchObject({ phone: before.phone, user: before.id });
  });

  test("20 messages and notices about one person at once, to two servers' locks, make one contact", async () => {
    const { workspace, before, after } = await known();
    const bodies = Array.from({ length: 5 }, () => [
      message(workspace, before),
      message(workspace, after, { timestamp: at(-10) }),
      NOTICES["number and ids"]?.(workspace, before, after),
      NOTICES["field of its own"]?.(workspace, before, after),
    ]).flat();
    const answers = await Promise.all([
      ...bodies.map((body) => postWebhook(body)),
      workspace.send(text({ phone: after.phone })),
      workspace.send(text({ phone: after.phone })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), 201, 201]);
    expect(await onlyContact(workspace)).toMatchObject({ phone: after.phone, user: after.id });
  });
});

describe("what a move may meet", () => {
  const numberAndIds = (workspace: TestWorkspace, from: Names, to: Names) =>
    deliver(NOTICES["number and ids"]?.(workspace, from, to));

  test("a send by contactId that was being prepared goes to the new number", async () => {
    const { workspace, before, after, contactId } = await known();
    const { mediaUrl } = testServers();
    const components = [
      { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::x"] } },
      { type: "BODY", text: "Hi" },
    ];
    const own = await provisionWorkspace({ templates: [templateRecord("picture", components)] });
    await deliver(message(own, before));
    const { id } = await onlyContact(own);
    const link = `${mediaUrl}/slow.png?ms=1500&x=${randomInt(10 ** 9)}`;
    const picture = { type: "template", templateName: "picture", templateVariables: { header_link: link } };
    const sending = own.send({ ...picture, contactId: id });
    await sleep(700);
    await numberAndIds(own, before, after);
    const sent = await sending;
    expectSent(sent);
    expect(sent.headers.get("warning")).toBeNull();
    const bodies = await sentBodies(own);
    expect(bodies.map((body) => JSON.parse(body).to)).toEqual([`+${after.phone}`]);
    expect(await onlyContact(own)).toMatchObject({ id });
    expect(await reaches(workspace, contactId)).toBe(`+${before.phone}`);
  });

  test("an answer of the next owner to a message that was tried again after the move is no answer of the first", async () => {
    const { workspace, before, after, contactId } = await known();
    const throttled = { error: { code: 130429, message: "(#130429) Rate limit hit", type: "OAuthException" } };
    await scriptMessages(workspace, [{ status: 429, json: throttled }]);
    expect((await workspace.send(text({ phone: before.phone }), KEY)).status).toBe(502);
    await numberAndIds(workspace, before, after);
    await sleep(1_100);
    const again = await workspace.send(text({ phone: before.phone }), KEY);
    expectSent(again);
    expect(again.headers.get("warning")).not.toBeNull();
    const stranger = { phone: before.phone, id: newNames().id };
    const context = { id: again.body.data.chatMessageId };
    await deliver(message(workspace, stranger, { timestamp: at(0), context }));
    expect(await contactsOf(workspace)).toHaveLength(2);
    expect(await reaches(workspace, contactId)).toBe(`+${after.phone}`);
  });

  test("an import of the same file again makes nobody twice, and one of another person does", async () => {
    const { workspace, before, after } = await known();
    await numberAndIds(workspace, before, after);
    const own = provenWorkspaceId(workspace.workspaceId);
    const row = { phone: before.phone, name: null };
    expect(await importContacts(own, [row], command("import"))).toMatchObject({ created: 0 });
    expect(await importContacts(own, [{ ...row, name: "Bob" }], command("import"))).toMatchObject({ created: 1 });
  });

  test("imports and the file of the workspace, while 20 people write in another order, all succeed", async () => {
    const workspace = await provisionWorkspace();
    const own = provenWorkspaceId(workspace.workspaceId);
    for (let round = 0; round < 5; round++) {
      const people = Array.from({ length: 20 }, newNames);
      const rows = people.map(({ phone }) => ({ phone, name: "Ada" }));
      const contacts = people.map(({ phone }, index) => ({ ref: `p${round}_${index}`, phone, name: "Bob" }));
      await Promise.all([
        provisionAgain(workspace, contacts),
        importContacts(own, rows, command("import")),
        ...people.toReversed().map((names) => deliver(message(workspace, names))),
        importContacts(own, rows.toReversed(), command("import")),
      ]);
    }
    expect(await contactsOf(workspace)).toHaveLength(100);
  });

  test("a name that is given under the former id is the person's", async () => {
    const { workspace, before, after, contactId } = await known();
    await deliver(message(workspace, after, { timestamp: at(-20) }));
    const [, second] = await contactsOf(workspace);
    await numberAndIds(workspace, before, after);
    const own = provenWorkspaceId(workspace.workspaceId);
    await renameContact(own, { contactId: second?.id ?? "", name: "Ada" }, command("rename"));
    expect(await nameOf(contactId)).toEqual([{ name: "Ada" }]);
  });

  test("a name that is given while the person writes stays", async () => {
    const { workspace, before, contactId } = await known();
    const own = provenWorkspaceId(workspace.workspaceId);
    const work = await whileLocked(
      contactId,
      async (queued) => {
        const renamed = renameContact(own, { contactId, name: "Ada" }, command("rename"));
        await queued(1);
        const posted = deliver(message(workspace, before, { timestamp: at(0) }));
        await queued(2);
        return [renamed, posted];
      },
      "contacts",
    );
    await Promise.all(work);
    expect(await nameOf(contactId)).toEqual([{ name: "Ada" }]);
  });

  test("a sentence of 200,000 characters keeps no one waiting", async () => {
    const { workspace } = await known();
    const body = `User ${"changed from ".repeat(16_000)} x`;
    await deliver(system(workspace, {}, { type: "user_changed_number", body }));
    await deliver(system(workspace, {}, { type: "user_changed_number", body: "x".repeat(200_000) }));
  });

  test("20 people who write while they are written to for the first time leave no number in the log of Postgres", async () => {
    const workspace = await provisionWorkspace();
    const people = Array.from({ length: 20 }, newNames);
    const answers = await Promise.all(
      people.flatMap((names) => [workspace.send(text({ phone: names.phone })), postWebhook(message(workspace, names))]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(await contactsOf(workspace)).toHaveLength(20);
  });
});

/** As text, and as kept webhooks are stored. */
const formsOf = (...people: readonly Names[]): string[] =>
  people.flatMap(({ phone, id }) => [phone, id].flatMap((name) => [name, Buffer.from(name).toString("hex")]));

describe("an erasure of a person who changed the number", () => {
  test.each(["phone", "contact"])(
    "by %s removes every name and message, and no late notice brings one back",
    async (by) => {
      const { workspace, before, after, contactId } = await known();
      const notices = Object.values(NOTICES).map((notice) => notice(workspace, before, after));
      expectSent(await workspace.send(text({ phone: before.phone, content: `heron ${before.phone}` })));
      await deliver(message(workspace, after, { timestamp: at(-20) }));
      await deliver(notices[0]);
      await deliver(
        system(workspace, { from: before.phone }, { type: "customer_identity_changed", body: `of ${before.phone}` }),
      );
      const own = provenWorkspaceId(workspace.workspaceId);
      if (by === "phone") await erasePhone(own, before.phone, command("erase"));
      else await eraseContact(own, contactId, command("erase"));
      const forms = formsOf(before, after);
      expect(await tablesHolding(forms)).toEqual([]);
      for (const notice of notices) await deliver(notice);
      for (const late of [message(workspace, before), message(workspace, after)]) await deliver(late);
      expect(await tablesHolding(forms)).toEqual([]);
      expect((await workspace.send(text({ contactId }))).status).toBe(404);
    },
  );

  test.each(["former", "later"])(
    "of the %s contact of two that a notice merges meanwhile removes both",
    async (which) => {
      const { workspace, before, after, contactId } = await known();
      await deliver(message(workspace, after, { timestamp: at(-20) }));
      const [, second] = await contactsOf(workspace);
      for (const { phone } of [before, after])
        expectSent(await workspace.send(text({ phone, content: `heron ${phone}` })));
      const asked = which === "former" ? contactId : (second?.id ?? "");
      const { merging, erasing } = await whileLocked(
        contactId,
        async (queued) => {
          const merging = deliver(NOTICES["number and ids"]?.(workspace, before, after));
          await queued(1);
          const erasing = eraseContact(provenWorkspaceId(workspace.workspaceId), asked, command("erase"));
          await queued(2);
          return { merging, erasing };
        },
        "contacts",
      );
      await Promise.all([merging, erasing]);
      expect(await contactsOf(workspace)).toEqual([]);
      expect(await tablesHolding(formsOf(before, after))).toEqual([]);
    },
  );

  test("leaves alone who had the number at another time, also where neither has it now", async () => {
    const { workspace, before, after, contactId } = await known();
    await deliver(NOTICES["number and ids"]?.(workspace, before, after));
    const next = { phone: before.phone, id: newNames().id };
    await deliver(message(workspace, next, { timestamp: at(-20) }));
    const moved = newNames();
    const said = { type: "user_changed_number", wa_id: moved.phone, user_id: moved.id, previous_user_id: next.id };
    await deliver(inboundWebhook(workspace, [{ from: next.phone, type: "system", timestamp: at(-10), system: said }]));
    await eraseContact(provenWorkspaceId(workspace.workspaceId), contactId, command("erase"));
    expect((await contactsOf(workspace)).map(({ phone }) => phone)).toEqual([moved.phone]);
  });

  test("of the next owner keeps what was sent to the former one", async () => {
    const { workspace, before, after } = await known();
    const sent = await workspace.send(text({ phone: before.phone, content: "To the first owner" }));
    await deliver(NOTICES["number and ids"]?.(workspace, before, after));
    await deliver(message(workspace, { phone: before.phone, id: newNames().id }, { timestamp: at(0) }));
    const next = (await contactsOf(workspace)).find(({ phone }) => phone === before.phone);
    await eraseContact(provenWorkspaceId(workspace.workspaceId), next?.id ?? "", command("erase"));
    const [row] = await sql`select request is not null as is_kept from messages where id = ${sent.body.data.id}`;
    expect(row).toEqual({ is_kept: true });
  });

  test("does not keep a person who writes again from changing the number", async () => {
    const { workspace, before, after } = await known();
    await erasePhone(provenWorkspaceId(workspace.workspaceId), before.phone, command("erase"));
    await sleep(1_100);
    await deliver(message(workspace, before, { timestamp: at(0) }));
    const { id } = await onlyContact(workspace);
    const said = { type: "user_changed_number", wa_id: after.phone, user_id: after.id, previous_user_id: before.id };
    await deliver(inboundWebhook(workspace, [{ from: before.phone, type: "system", timestamp: at(1), system: said }]));
    expect(await reaches(workspace, id)).toBe(`+${after.phone}`);
  });

  test("leaves the next owner of the number alone", async () => {
    const { workspace, before, after, contactId } = await known();
    await deliver(NOTICES["number and ids"]?.(workspace, before, after));
    expectSent(await workspace.send(text({ phone: before.phone, content: "To the next owner" })));
    await eraseContact(provenWorkspaceId(workspace.workspaceId), contactId, command("erase"));
    expect((await contactsOf(workspace)).map(({ phone }) => phone)).toEqual([before.phone]);
    const rows = await sql`select phone from messages where workspace_id = ${workspace.workspaceId}`;
    expect(rows).toEqual([{ phone: before.phone }]);
  });
});
