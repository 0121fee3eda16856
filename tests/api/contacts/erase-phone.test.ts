import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { type Erasure, erasePhone } from "@/lib/contacts/erase-phone";
import { PERSONAL_DATA } from "@/lib/contacts/personal-data";
import { REMOVED_REASON } from "@/lib/core/phone";
import { provenWorkspaceId } from "@/lib/core/principal";
import { command } from "@/lib/workspaces/record-audit";
import { printed, runCommand } from "../../support/commands";
import { tablesHolding } from "../../support/databases";
import { startInstance, testServers } from "../../support/environment";
import { ERASE, serverEnvironment, startProgram } from "../../support/programs";
import { addEndpoint } from "../../support/receiver";
import { whileLocked } from "../../support/row-lock";
import { auditEntries, messageRows, planUnits, sql } from "../../support/rows";
import { expectSent, KEY, listContacts, sentBodies } from "../../support/sends";
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

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** A number that no other test of the run has. */
const newPhone = () => `4477${randomInt(10_000_000, 99_999_999)}1`;

/** As the command does it, whose start takes longer than its work; the first test is about the command itself. */
const erase = ({ workspaceId }: TestWorkspace, phone: string): Promise<Erasure> =>
  erasePhone(provenWorkspaceId(workspaceId), phone, command("erase"));
const text = (phone: string, content = "Hello") => ({ type: "text", phone, content });
const failure = (words: string) => [{ code: 131026, title: "Undeliverable", error_data: { details: words } }];

/** As WhatsApp writes an instant. */
const inSeconds = (seconds: number) => `${Math.floor(Date.now() / 1_000) + seconds}`;

/** The tables of the whole database that hold any of these words, also inside of bytes. */
const tablesWith = (...words: string[]): Promise<string[]> => {
  const forms = (["utf8", "hex", "base64"] as const).flatMap((form) =>
    words.map((word) => Buffer.from(word).toString(form)),
  );
  return tablesHolding(forms);
};

describe("an erasure", () => {
  test("leaves number, name and words nowhere in the database, and everything that counts where it was", async () => {
    const phone = newPhone();
    const [name, words] = [`Wilhelmina ${phone.slice(-6)}X`, `heron-${phone.slice(-7)}-words`];
    const workspace = await provisionWorkspace({ contacts: [{ ref: `ref-${name}`, phone, name }] });
    const other = await provisionWorkspace({ messageLimit: 10 });
    await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
    const first = await workspace.send(text(phone, words), KEY);
    const { id, chatMessageId } = first.body.data;
    await workspace.send({ type: "interactive", phone, content: FLOW_CONTENT });
    const failed = { id: chatMessageId ?? "", status: "failed", errors: failure(`${words} to ${phone}`) };
    const sent = { id: chatMessageId ?? "", status: "sent", recipient_id: phone };
    await report(workspace, failed, sent);
    await deliver(inboundWebhook(workspace, [{ from: phone }], [{ wa_id: phone, profile: { name } }]));
    expect((await tablesWith(phone, name, words)).length).toBeGreaterThan(3);
    const [units, rows] = [await planUnits(workspace), await messageRows(workspace)];

    const erased = await runCommand(ERASE, ["--workspace", workspace.workspaceId, "--phone", `+${phone}`]);
    expect(printed<Erasure>(erased)).toEqual({ contacts: 1, messages: 2 });
    expect(await tablesWith(phone, name, words)).toEqual([]);
    expect(await planUnits(workspace)).toEqual(units);
    expect(await messageRows(workspace)).toEqual(
      rows.map((row) => ({ ...row, failure_reason: row.failure_reason && REMOVED_REASON })),
    );
    const replay = await workspace.send(text(phone, words), KEY);
    expect([replay.status, replay.body.data.id, replay.body.data.status]).toEqual([200, id, "FAILED"]);
    const sessions = await sql`select closed_by from flow_sessions where workspace_id = ${workspace.workspaceId}`;
    expect(sessions).toEqual([{ closed_by: "erasure" }]);
    expect((await messageRows(other)).length).toBe(0);
  });

  test("empties every column of its list", async () => {
    const [phone, word] = [newPhone(), `heron-${randomBytes(6).toString("hex")}`];
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
    const { id, chatMessageId } = (await workspace.send(text(phone))).body.data;
    await report(workspace, { id: chatMessageId ?? "", status: "failed", errors: failure("No WhatsApp") });
    await sql`
        insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms)
        select workspace_id, id, 99, now(), 1 from webhook_deliveries where workspace_id = ${workspaceId}`;
    await sql`
        insert into contact_aliases (workspace_id, wa_id, contact_id)
        select workspace_id, phone, id from contacts where workspace_id = ${workspaceId}`;
    const logged = () => sql`select from api_requests where workspace_id = ${workspaceId} and message_id = ${id}`;
    await expect.poll(async () => (await logged()).length).toBe(1);

    const marked = await writeEverywhere(workspace, word);
    expect(marked.filter(({ count }) => count === 0)).toEqual([]);
    expect(await tablesWith(phone, word)).toEqual(Object.keys(PERSONAL_DATA).sort());
    await erase(workspace, phone);
    expect(await tablesWith(phone, word)).toEqual([]);
  });

  test("forgets that the person stopped marketing, and says so in its output and in the audit log", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    await sql`update workspaces set stop_words = '["stop"]' where id = ${workspace.workspaceId}`;
    await deliver(inboundWebhook(workspace, [{ from: phone, text: { body: "Stop" } }]));
    expect(await erase(workspace, phone)).toMatchObject({ contacts: 1, forgotStop: true });
    expect(await erasuresOf(workspace)).toEqual([{ contacts: 1, messages: 0, forgotStop: true }]);
    expect(await erase(workspace, phone)).toEqual({ contacts: 0, messages: 0 });
  });

  test("is audited by a keyed hash of the number: the same for the same number here, another elsewhere", async () => {
    const phone = newPhone();
    const [one, other] = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
    await one.send(text(phone));
    for (const workspace of [one, one, other]) await erase(workspace, phone);
    const [first, second] = (await auditEntries(one.workspaceId)).slice(-2);
    const elsewhere = (await auditEntries(other.workspaceId)).at(-1);
    expect(first).toEqual({
      actor: "command erase",
      action: "contact.erased",
      target_kind: "contact",
      target_id: expect.stringMatching(/^[\w-]{43}$/),
      before: null,
      after: { contacts: 1, messages: 1 },
    });
    expect(second).toMatchObject({ target_id: first?.target_id, after: { contacts: 0, messages: 0 } });
    expect(elsewhere?.target_id).not.toBe(first?.target_id);
  });

  test("touches no other recipient and no other workspace", async () => {
    const [phone, bystander] = [newPhone(), newPhone()];
    const [one, other] = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
    await one.send(text(phone));
    await one.send(text(bystander));
    await other.send(text(phone));
    expect(await erase(one, phone)).toMatchObject({ contacts: 1, messages: 1 });
    expect((await listContacts(one)).map((contact) => contact.phone)).toContain(bystander);
    expect((await listContacts(other)).map((contact) => contact.phone)).toEqual([phone]);
    expect(await tablesWith(phone)).toEqual(["contact_names", "contacts", "messages"]);
  });

  test("of a recipient with a thousand messages ends in one run, whose audited parts add up to it", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    await sendManyTo(workspace, phone);
    expect(await erase(workspace, phone)).toMatchObject({ contacts: 1, messages: 1_201 });
    expect(await tablesWith(phone)).toEqual([]);
    expect(await erasuresOf(workspace)).toEqual([
      { contacts: 0, messages: 500 },
      { contacts: 0, messages: 500 },
      { contacts: 1, messages: 201 },
    ]);
  });

  test("that is killed half-way is audited for what it removed, and the next run removes the rest", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    const { id } = await sendManyTo(workspace, phone);
    // The newest message is the last part's, so the command is stopped there.
    await whileLocked(id, async (queued) => {
      const args = ["--workspace", workspace.workspaceId, "--phone", phone];
      const program = startProgram([...ERASE, ...args], serverEnvironment());
      await queued(1);
      program.signal("SIGKILL");
      await program.exited;
    });
    expect(await erasuresOf(workspace)).toEqual([
      { contacts: 0, messages: 500 },
      { contacts: 0, messages: 500 },
    ]);
    expect(await erase(workspace, phone)).toMatchObject({ contacts: 1, messages: 201 });
    expect((await erasuresOf(workspace)).at(-1)).toMatchObject({ contacts: 1, messages: 201 });
    expect(await tablesWith(phone)).toEqual([]);
  });
});

describe("after an erasure", () => {
  test("a late webhook moves the status and brings nothing back", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    const { id, chatMessageId } = (await workspace.send(text(phone))).body.data;
    await erase(workspace, phone);
    const item = { id: chatMessageId ?? "", recipient_id: phone, errors: failure(`No WhatsApp at ${phone}`) };
    await report(workspace, { ...item, status: "failed" });
    expect((await workspace.status(id)).body.data).toMatchObject({ status: "FAILED", failureReason: REMOVED_REASON });
    await report(workspace, { id: item.id, status: "read", recipient_id: phone });
    expect((await workspace.status(id)).body.data).toMatchObject({ status: "READ", failureReason: null });
    expect(await tablesWith(phone)).toEqual([]);
  });

  test.each(["the webhook", "the erasure"])(
    "a webhook of the same instant brings nothing back: %s is first",
    async (first) => {
      const phone = newPhone();
      const workspace = await provisionWorkspace();
      const { id, chatMessageId } = (await workspace.send(text(phone))).body.data;
      const item = { id: chatMessageId ?? "", status: "failed", errors: failure(`No WhatsApp at ${phone}`) };
      // As WhatsApp does, again where the lock was held for longer than a webhook waits.
      const tell = async () => {
        const statuses: number[] = [];
        do statuses.push((await postWebhook(statusWebhook(workspace, [item]))).status);
        while (statuses.at(-1) === 503 && statuses.length < 5);
        expect(statuses.at(-1)).toBe(200);
      };
      const forget = async () => void (await erase(workspace, phone));
      const [one, other] = first === "the webhook" ? [tell, forget] : [forget, tell];
      await whileLocked(id, async (queued) => {
        const earlier = one();
        await queued(1);
        const later = other();
        await queued(2);
        return [earlier, later];
      }).then((running) => Promise.all(running));
      expect((await workspace.status(id)).body.data).toMatchObject({ status: "FAILED", failureReason: REMOVED_REASON });
      expect(await tablesWith(phone)).toEqual([]);
    },
  );

  test("the number is in no event that still waits for its message", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    const early = { id: `wamid.${phone.slice(-7)}`, status: "failed", errors: failure(`No WhatsApp at ${phone}`) };
    const named = { id: `wamid.${phone.slice(-7)}`, status: "sent", recipient_id: phone };
    await report(workspace, early, named);
    expect(await tablesWith(phone)).toEqual(["status_events"]);
    await erase(workspace, phone);
    expect(await tablesWith(phone)).toEqual([]);
  });

  test("a late move of the number finds no one; a message from it is a new contact without a past", async () => {
    const [phone, next] = [newPhone(), newPhone()];
    const workspace = await provisionWorkspace();
    const { contactId: former } = await contactOf(workspace, phone);
    await erase(workspace, phone);
    const system = { type: "user_changed_number", wa_id: next };
    await deliver(inboundWebhook(workspace, [{ from: phone, type: "system", system }]));
    expect(await tablesWith(phone, next)).toEqual([]);

    await deliver(inboundWebhook(workspace, [{ from: phone, timestamp: inSeconds(2) }]));
    expect(await tablesWith(phone)).toEqual(["contact_names", "contacts"]);
    const contact = (await listContacts(workspace)).find((one) => one.phone === phone);
    expect(contact?.id).not.toBe(former);
    const ids = await sql`select contact_id from messages where contact_id = ${contact?.id ?? ""}`;
    expect(ids).toEqual([]);
  });

  test("a message from before it, repeated or late, brings the number back under neither pepper", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    const body = inboundWebhook(workspace, [{ from: phone }], [{ wa_id: phone, profile: { name: "Wilhelmina" } }]);
    await deliver(body);
    expect(await tablesWith(phone)).toEqual(["contact_names", "contacts"]);
    await erase(workspace, phone);
    await deliver(body);
    await deliver(inboundWebhook(workspace, [{ from: phone, timestamp: inSeconds(-600) }]));
    expect(await tablesWith(phone, "Wilhelmina")).toEqual([]);

    const { KEY_PEPPER = "" } = testServers().environment;
    const peppers = { KEY_PEPPER: randomBytes(32).toString("base64url"), KEY_PEPPER_PREVIOUS: KEY_PEPPER };
    const rotated = await startInstance(peppers, "API");
    await deliver(body, rotated.baseUrl).finally(rotated.stop);
    expect(await tablesWith(phone, "Wilhelmina")).toEqual([]);
  });

  test("its contact id is one that does not exist, and the number can be sent to as a new contact", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    const { contactId } = await contactOf(workspace, phone);
    await erase(workspace, phone);
    const byId = await workspace.send({ type: "text", contactId, content: "Hi" });
    expect([byId.status, byId.body.error]).toEqual([404, "NOT_FOUND"]);
    expectSent(await workspace.send(text(phone)));
    expect((await listContacts(workspace)).filter((one) => one.phone === phone)).toHaveLength(1);
  });

  test("a send that met it half-way belongs to a new contact", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    const { contactId } = await contactOf(workspace, phone);
    let sending = workspace.status("msg_none");
    await sql.begin(async (tx) => {
      await tx`update contacts set phone = 'erased:' || id, erased_at = now() where id = ${contactId}`;
      sending = workspace.send(text(phone), { "Idempotency-Key": "met" });
      await sleep(600);
    });
    expectSent(await sending);
    const rows = await sql`
        select c.id, c.phone from messages m join contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id
        where m.workspace_id = ${workspace.workspaceId} and m.idempotency_key = 'met'`;
    expect(rows).toEqual([{ id: expect.not.stringContaining(contactId), phone }]);
  });

  test("a send that was on its way ends without its words, and is never sent again", async () => {
    const phone = newPhone();
    const workspace = await provisionWorkspace();
    const refusal = { status: 401, json: { error: { code: 190, message: `No ${phone}` } }, delayMs: 6_000 };
    await scriptMessages(workspace, [refusal]);
    const sending = workspace.send(text(phone), KEY);
    while ((await messageRows(workspace))[0]?.phase !== "DISPATCHING") await sleep(20);
    expect(await erase(workspace, phone)).toMatchObject({ contacts: 1, messages: 1 });
    expect((await sending).status).toBe(502);
    const replay = await workspace.send(text(phone), KEY);
    expect([replay.status, replay.body.data.failureReason]).toEqual([200, REMOVED_REASON]);
    expect(await tablesWith(phone)).toEqual([]);
    expect(await sentBodies(workspace)).toHaveLength(1);
  });
});

test.for([
  [["--phone", "447700900123"], "--workspace REF is required."],
  [["--workspace", "w"], "--phone NUMBER is required."],
  [["--workspace", "w", "--phone", "07700 900123"], "looks like a national number"],
] as const)("a wrong command line says what is wrong and erases nothing: %j", async ([args, words]) => {
  const { exitCode, stdout, stderr } = await runCommand(ERASE, [...args]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
});

/** What the audit log says was removed, oldest first. */
const erasuresOf = async ({ workspaceId }: TestWorkspace): Promise<unknown[]> =>
  (await auditEntries(workspaceId)).filter(({ action }) => action === "contact.erased").map(({ after }) => after);

/** Writes `word` into every column of the list that holds text or JSON, but for those by which a person is found. */
const writeEverywhere = async ({ workspaceId }: TestWorkspace, word: string) => {
  const columns = await sql<{ table: keyof typeof PERSONAL_DATA; column: string; type: string }[]>`
      select table_name as "table", column_name as "column", data_type as type from information_schema.columns
      where table_schema = 'public' and table_name in ${sql(Object.keys(PERSONAL_DATA))} and data_type in ('text', 'jsonb')`;
  const listed = columns.filter(({ table, column }) => {
    const place: { name?: string; leaves: object | string } = PERSONAL_DATA[table];
    return column !== place.name && typeof place.leaves === "object" && column in place.leaves;
  });
  const marks = listed.map(async ({ table, column, type }) => {
    const value = type === "text" ? sql`${word}::text` : sql`jsonb_build_object('failureReason', ${word}::text)`;
    const { count } = await sql`
        update ${sql(table)} set ${sql(column)} = ${value} where workspace_id = ${workspaceId}`;
    return { column: `${table}.${column}`, count };
  });
  return await Promise.all(marks);
};

/** 1,201 messages, of which the one with the answered id is the newest. */
const sendManyTo = async (workspace: TestWorkspace, phone: string): Promise<{ id: string }> => {
  const { id } = (await workspace.send(text(phone))).body.data;
  await sql`
      insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, request, fingerprint, phase,
        status, lease_expires_at, created_at)
      select workspace_id, id || n, mode, phone_number_id, contact_id, phone, type, request, fingerprint, phase,
        status, now(), created_at - make_interval(secs => n / 3)
      from messages, generate_series(1, 1200) n where workspace_id = ${workspace.workspaceId} and id = ${id}`;
  return { id };
};

const contactOf = async (workspace: TestWorkspace, phone: string): Promise<{ contactId: string }> => {
  expectSent(await workspace.send(text(phone)));
  const contact = (await listContacts(workspace)).find((one) => one.phone === phone);
  return { contactId: contact?.id ?? "" };
};
