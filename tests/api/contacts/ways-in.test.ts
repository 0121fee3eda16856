import { randomInt } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addContact, importContacts } from "@/lib/contacts/save-contacts";
import { provenWorkspaceId } from "@/lib/core/principal";
import { command } from "@/lib/workspaces/record-audit";
import { provisionAgain } from "../../support/provision";
import { whileLocked } from "../../support/row-lock";
import { sql } from "../../support/rows";
import { expectSent } from "../../support/sends";
import { expectStopped, saleTo, workspaceWithStops } from "../../support/stops";
import { inboundWebhook } from "../../support/webhooks";
import { deliver, report, scriptMessages, type TestWorkspace } from "../../support/workspace";

const BY = command("test");

/** A person whom callers know by one number, and WhatsApp by another. */
type Forms = { given: string; known: string };
const newForms = (): Forms => {
  const end = randomInt(10_000_000, 99_999_999);
  return { given: `5255${end}`, known: `52155${end}` };
};

const newWorkspace = () =>
  workspaceWithStops({}, { lines: [{ ref: "main" }, { ref: "sandbox", mode: "test" as const }] });
const ownId = ({ workspaceId }: TestWorkspace) => provenWorkspaceId(workspaceId);

const writes = (workspace: TestWorkspace, from: string, body: string, more: object = {}) =>
  deliver(inboundWebhook(workspace, [{ from, type: "text", text: { body }, ...more }]));

/** A send that WhatsApp answers with the number that it knows. */
const sendTo = async (workspace: TestWorkspace, phone: string, { known }: Forms) => {
  const wamid = `wamid.W${randomInt(10 ** 12)}`;
  const json = { contacts: [{ input: `+${phone}`, wa_id: known }], messages: [{ id: wamid }] };
  await scriptMessages(workspace, [{ json }]);
  expectSent(await workspace.send({ type: "text", phone, content: "Hello" }));
  return wamid;
};

/** Every way for a number to become a contact's without WhatsApp. */
const WAYS_IN: Record<string, (workspace: TestWorkspace, phone: string) => Promise<unknown>> = {
  imported: (workspace, phone) => importContacts(ownId(workspace), [{ phone, name: null }], BY),
  "imported with a name": (workspace, phone) => importContacts(ownId(workspace), [{ phone, name: "Ana" }], BY),
  "added by hand": (workspace, phone) => addContact(ownId(workspace), { phone, name: "Ana" }, BY).catch(isTaken),
  provisioned: (workspace, phone) => provisionAgain(workspace, [{ ref: `r${phone}`, phone, name: "Ana" }]),
};
const isTaken = (error: unknown) => expect(`${error}`).toContain("already");

const contactsOf = ({ workspaceId }: TestWorkspace) => sql<{ id: string; phone: string }[]>`
  select id, phone from contacts where workspace_id = ${workspaceId} and merged_into is null and erased_at is null`;

/** Marketing to any of her numbers is refused, and to any contact of the workspace. */
const expectHerStopped = async (workspace: TestWorkspace, { given, known }: Forms) => {
  const ids = await sql<{ id: string }[]>`select id from contacts where workspace_id = ${workspace.workspaceId}`;
  const contacts = ids.map(({ id }) => ({ contactId: id }));
  await expectStopped(workspace, { phone: given }, { phone: known }, ...contacts);
};

describe("400: marketing to a person who stopped it through another of her numbers", () => {
  test.each(Object.keys(WAYS_IN))("where either number is %s afterwards: she stays one contact", async (way) => {
    const [workspace, forms] = [await newWorkspace(), newForms()];
    await sendTo(workspace, forms.given, forms);
    await writes(workspace, forms.known, "STOP");
    await expectHerStopped(workspace, forms);
    const before = await contactsOf(workspace);
    for (const phone of [forms.known, forms.given, forms.known]) await WAYS_IN[way]?.(workspace, phone);
    expect(await contactsOf(workspace)).toEqual(before);
    await expectHerStopped(workspace, forms);
  });

  test("where an earlier release has made a second contact of the number: none is sent, and a way in joins them", async () => {
    const [workspace, forms] = [await newWorkspace(), newForms()];
    await sendTo(workspace, forms.given, forms);
    await writes(workspace, forms.known, "STOP");
    await sql`insert into contacts (workspace_id, id) values (${workspace.workspaceId}, 'ct_second')`;
    await sql`update contacts set phone = ${forms.known} where workspace_id = ${workspace.workspaceId} and id = 'ct_second'`;
    await expectHerStopped(workspace, forms);
    await WAYS_IN.imported?.(workspace, forms.known);
    expect(await contactsOf(workspace)).toHaveLength(1);
    await expectHerStopped(workspace, forms);
  });

  test("whatever ways in come before and after the stop, in any order and repetition", async () => {
    const ways = Object.keys(WAYS_IN);
    const step = fc.oneof(
      fc.record({ way: fc.constantFrom(...ways, "written"), form: fc.constantFrom("given", "known") }),
      fc.constantFrom({ way: "sent", form: "given" }, { way: "told by a status", form: "given" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 4 }), fc.array(step, { maxLength: 4 }), async (before, after) => {
        const [workspace, forms] = [await newWorkspace(), newForms()];
        const take = async ({ way, form }: { way: string; form: string }) => {
          const phone = forms[form as keyof Forms];
          if (way === "sent") await sendTo(workspace, phone, forms);
          else if (way === "written") await writes(workspace, phone, "Hello");
          else if (way === "told by a status") {
            const sent = await workspace.send({ type: "text", phone, content: "Hello" });
            const id = sent.body.data.chatMessageId ?? "";
            await report(workspace, { id, status: "delivered", recipient_id: forms.known });
          } else await WAYS_IN[way]?.(workspace, phone);
        };
        for (const one of before) await take(one);
        await writes(workspace, forms.known, "STOP");
        for (const one of after) await take(one);
        // At the latest from now on both numbers are known as hers.
        await sendTo(workspace, forms.given, forms);
        expect(await contactsOf(workspace)).toHaveLength(1);
        await expectHerStopped(workspace, forms);
        for (const one of after) await take(one);
        expect(await contactsOf(workspace)).toHaveLength(1);
        await expectHerStopped(workspace, forms);
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

describe("a stop in one mode", () => {
  test.each([
    ["live", "test"],
    ["test", "live"],
  ] as const)("%s refuses marketing there, and leaves %s as it is, also after a merge", async (stopped, other) => {
    const workspace = await newWorkspace();
    const { workspaceId, lines, keys } = workspace;
    await sql`
      insert into templates select (jsonb_populate_record(t, '{"id": "tpl_test", "mode": "test"}')).*
      from templates t where workspace_id = ${workspaceId}`;
    const forms = newForms();
    const lineOf = { live: lines.main, test: lines.sandbox };
    const marketing = async (mode: "live" | "test", phone: string) => {
      const answer = await workspace.send(saleTo({ phone }), mode === "live" ? keys.main : keys.other);
      return [answer.status, answer.body.details?.optOutSource];
    };
    const from = { from: forms.known, type: "text", text: { body: "Stop" } };
    await deliver(inboundWebhook({ ...workspace, ...lineOf[stopped] }, [from]));
    await sendTo(workspace, forms.given, forms);
    expect(await contactsOf(workspace)).toHaveLength(1);
    for (const phone of [forms.given, forms.known]) {
      expect(await marketing(stopped, phone)).toEqual([400, "word"]);
      expect(await marketing(other, phone)).toEqual([201, undefined]);
    }
    await deliver(inboundWebhook({ ...workspace, ...lineOf[other] }, [{ ...from, text: { body: "Start" } }]));
    expect(await marketing(stopped, forms.given)).toEqual([400, "word"]);
  });
});

describe("two servers at once", () => {
  test("where 20 people write, are imported and written to under both numbers while WhatsApp names the second: one contact each", async () => {
    const workspace = await newWorkspace();
    const people = Array.from({ length: 20 }, newForms);
    const sent = await Promise.all(
      people.map(({ given }) => workspace.send({ type: "text", phone: given, content: "Hello" })),
    );
    // This process imports and provisions, and the server does the rest.
    const imports = (form: keyof Forms) =>
      importContacts(
        ownId(workspace),
        people.map((forms) => ({ phone: forms[form], name: null })),
        BY,
      );
    const learned = people.map(({ known }, index) => {
      const id = sent[index]?.body.data.chatMessageId ?? "";
      return report(workspace, { id, status: "delivered", recipient_id: known });
    });
    const written = people
      .toReversed()
      .map(({ known }) => workspace.send({ type: "text", phone: known, content: "Hi" }));
    await Promise.all([
      ...learned,
      ...written,
      imports("given"),
      imports("known"),
      ...people.map(({ known }) => writes(workspace, known, "STOP")),
      provisionAgain(
        workspace,
        people.map(({ known }) => ({ ref: `r${known}`, phone: known })),
      ),
    ]);
    expect(await contactsOf(workspace)).toHaveLength(20);
    for (const forms of people) await expectStopped(workspace, ...Object.values(forms).map((phone) => ({ phone })));
  });

  test.each([
    ["before", "update", 1],
    ["after", "no key update", 2],
  ] as const)(
    "a first message to a number whose claim comes %s the number is stored as another contact's goes to that one",
    async (_, strength, waiting) => {
      const [workspace, forms] = [await newWorkspace(), newForms()];
      const first = await workspace.send({ type: "text", phone: forms.given, content: "Hello" });
      const id = first.body.data.chatMessageId ?? "";
      const status = { id, status: "delivered", recipient_id: forms.known, recipient_user_id: "MX.1" };
      const contactId = first.headers.get("x-contact-id") ?? "";
      const work = await whileLocked(
        contactId,
        async (queued) => {
          const learned = report(workspace, status);
          await queued(1);
          const sent = workspace.send({ type: "text", phone: forms.known, content: "Hi" });
          if (waiting === 1) await sent;
          else await queued(waiting);
          return [learned, sent.then(expectSent)];
        },
        "contacts",
        strength,
      );
      await Promise.all(work);
      expect(await contactsOf(workspace)).toEqual([{ id: contactId, phone: forms.given }]);
    },
  );
});

describe("a number that is a contact's other one", () => {
  test("is provisioned under a ref of its own: both stand for the one contact, also the next time", async () => {
    const [workspace, forms] = [await newWorkspace(), newForms()];
    const { ana } = await provisionAgain(workspace, [{ ref: "ana", phone: forms.given }]);
    await sendTo(workspace, forms.given, forms);
    const both = [
      { ref: "ana", phone: forms.given },
      { ref: "whatsapp", phone: forms.known, name: "Ana" },
    ];
    for (let run = 0; run < 2; run++) expect(await provisionAgain(workspace, both)).toEqual({ ana, whatsapp: ana });
    expect(await contactsOf(workspace)).toEqual([{ id: ana, phone: forms.given }]);
  });
});
