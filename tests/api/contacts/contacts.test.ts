import { describe, expect } from "vitest";
import { act as call } from "../../support/people";
import { auditEntries, sql } from "../../support/rows";
import { readAs, readAt, signIn } from "../../support/session";
import { test } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const act = async (workspace: TestWorkspace, name: string, fields: Record<string, string>, by = workspace.owner) => {
  const { said } = await call(`app/dashboard/contacts/actions.ts#${name}`, {
    fields: { workspaceId: workspace.workspaceId, ...fields },
    as: by,
    path: pageOf(name, fields),
  });
  return said ?? { ok: false as const };
};

/** An action is called from a page that has it. */
const pageOf = (name: string, { contactId }: Record<string, string>) =>
  name === "importBatch" ? "/dashboard/contacts/import" : `/dashboard/contacts${contactId ? `/${contactId}` : ""}`;

const contactRows = ({ workspaceId }: TestWorkspace) =>
  sql<{ phone: string; name: string | null }[]>`
  select phone, name from contacts where workspace_id = ${workspaceId} order by phone`.then((rows) =>
    rows.map(({ phone, name }) => [phone, name]),
  );

const audited = async ({ workspaceId }: TestWorkspace) =>
  (await auditEntries(workspaceId)).filter(
    ({ action, actor }) => action.startsWith("contact.") && actor.startsWith("user "),
  );

describe("adding a contact", () => {
  test("takes a number in any format, answers with its id and leaves an audit row without the person", async () => {
    const workspace = await provisionWorkspace();
    const said = await act(workspace, "createContact", { phone: "+44 7700 900-123", name: " Ada " }, workspace.admin);
    expect(said).toEqual({ ok: true, value: expect.stringMatching(/^ct_/) });
    expect(await contactRows(workspace)).toEqual([["447700900123", "Ada"]]);
    expect(await audited(workspace)).toMatchObject([
      { action: "contact.added", before: null, after: { phone: "hidden", name: "hidden" } },
    ]);
  });

  test("names the field at fault, and adds no one twice", async ({ workspace }) => {
    const national = await act(workspace, "createContact", { phone: "07700900123", name: "" });
    expect(national).toMatchObject({ ok: false, issues: { phone: expect.stringContaining("national number") } });
    await act(workspace, "createContact", { phone: "447700900123", name: "" });
    const twice = await act(workspace, "createContact", { phone: "447700900123", name: "Bob" });
    expect(twice).toMatchObject({ ok: false, issues: { phone: expect.stringContaining("already") } });
    expect(await contactRows(workspace)).toEqual([["447700900123", null]]);
  });
});

describe("changing a name", () => {
  test("is audited, and the same name again is no change", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: "447700900123", name: "Ada" }] });
    const contactId = workspace.contacts.ada ?? "";
    for (const name of ["Ada Lovelace", "Ada Lovelace"]) {
      expect(await act(workspace, "changeName", { contactId, name })).toMatchObject({ ok: true });
    }
    expect(await contactRows(workspace)).toEqual([["447700900123", "Ada Lovelace"]]);
    expect(await audited(workspace)).toMatchObject([{ action: "contact.renamed", target_id: contactId }]);
  });
});

describe("a search", () => {
  test("finds a name as it is written, whatever its letters", async () => {
    const contacts = [{ ref: "ozge", phone: "447700900123", name: "Özge İnan" }];
    const workspace = await provisionWorkspace({ contacts });
    const page = await readAs(workspace.owner, `/dashboard/contacts?q=${encodeURIComponent("Özge İ")}`);
    expect(page.text).toContain(`/dashboard/contacts/${workspace.contacts.ozge}`);
  });
});

describe("an import", () => {
  const rows = (...given: [string, string | null][]) => ({
    rows: JSON.stringify(given.map(([phone, name]) => ({ phone, name }))),
  });

  test("goes by the number: new ones come, names are replaced, an absent name takes none away", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: "447700900001", name: "Ada" }] });
    const batch = rows(
      ["447700900001", "Ada Lovelace"],
      ["447700900002", null],
      ["447700900003", "Cid"],
      ["+44 7700 900003", "Cyd"],
      ["447700900003", null],
    );
    expect(await act(workspace, "importBatch", batch)).toEqual({
      ok: true,
      value: { created: 2, renamed: 1, unchanged: 0, repeated: 2, replaced: [{ phone: "447700900001", name: "Ada" }] },
    });
    const again = rows(["447700900001", null], ["447700900003", "Cyd"]);
    expect(await act(workspace, "importBatch", again)).toEqual({
      ok: true,
      value: { created: 0, renamed: 0, unchanged: 2, repeated: 0, replaced: [] },
    });
    expect(await contactRows(workspace)).toEqual([
      ["447700900001", "Ada Lovelace"],
      ["447700900002", null],
      ["447700900003", "Cyd"],
    ]);
    expect(await audited(workspace)).toMatchObject([
      { action: "contact.imported", after: { created: 2, renamed: 1, unchanged: 0 } },
    ]);
  });

  test("takes names of 200 characters, whatever each of them is made of", async ({ workspace }) => {
    const flowers = (count: number) =>
      act(workspace, "importBatch", {
        rows: `[{"phone":"447700900123","name":"${"\\ud83c\\udf3a".repeat(count)}"}]`,
      });
    expect(await flowers(201)).toMatchObject({ ok: false });
    expect(await flowers(200)).toMatchObject({ ok: true, value: { created: 1 } });
  });

  test("stores no name that was not read", async ({ workspace }) => {
    for (const name of ["M\uFFFDller", "M\u0081ller", "M\0ller", "M\ud83dller"]) {
      const said = await act(workspace, "importBatch", rows(["447700900123", name]));
      expect(said, name).toMatchObject({ ok: false });
    }
    expect(await contactRows(workspace)).toEqual([]);
  });

  test("of the same people by two at once makes each of them once", async ({ workspace }) => {
    const people = Array.from({ length: 300 }, (_, i): [string, string] => [`4477009${10_000 + i}`, `Person ${i}`]);
    const both = await Promise.all([
      act(workspace, "importBatch", rows(...people)),
      act(workspace, "importBatch", rows(...people.toReversed()), workspace.admin),
    ]);
    expect(both.every(({ ok }) => ok)).toBe(true);
    expect(await contactRows(workspace)).toHaveLength(300);
  });

  test("that cannot be read, names no number or is too long changes nothing", async ({ workspace }) => {
    for (const given of [
      "[{",
      '{"phone":"447700900001"}',
      '[{"phone":"0","name":null}]',
      JSON.stringify(Array(501).fill({ phone: "447700900001", name: null })),
    ]) {
      expect(await act(workspace, "importBatch", { rows: given })).toMatchObject({ ok: false });
    }
    expect(await contactRows(workspace)).toEqual([]);
  });
});

describe("a member", () => {
  test("sees masks, finds whole numbers, and finds none out digit by digit or by guessing", async () => {
    const workspace = await provisionWorkspace({ contacts: [{ ref: "ada", phone: "447700900123", name: "Ada" }] });
    const [member, owner] = [await signIn(workspace.member), await signIn(workspace.owner)];
    const isFound = async (cookie: string, q: string) =>
      (await readAt(`/dashboard/contacts?${new URLSearchParams({ q })}`, cookie)).text.includes(`${ada}`);
    const { ada } = workspace.contacts;
    expect(await isFound(member, "+44 7700 900 123")).toBe(true);
    expect(await isFound(member, "44770090012")).toBe(false);
    expect(await isFound(owner, "44770090012")).toBe(true);
    const guess = "447705550123";
    expect([await isFound(member, guess), await isFound(owner, guess)]).toEqual([true, false]);
    expect(await isFound(member, "447705550124")).toBe(false);
    expect(await isFound(member, "AD")).toBe(true);
    expect(await isFound(member, "da")).toBe(false);
    const { text } = await readAt("/dashboard/contacts", member);
    expect(text).toContain("44770•••0123");
    expect(text).not.toContain("447700900123");
  });
});

describe("another workspace's owner", () => {
  test("reaches no one", async () => {
    const [workspace, other] = await Promise.all([
      provisionWorkspace({ contacts: [{ ref: "ada", phone: "447700900123", name: "Ada" }] }),
      provisionWorkspace(),
    ]);
    const contactId = workspace.contacts.ada ?? "";
    for (const [name, fields] of [
      ["changeName", { contactId, name: "Bob" }],
      ["eraseContact", { contactId }],
    ] as const) {
      expect((await act(other, name, fields)).ok).toBe(false);
    }
    expect(await contactRows(workspace)).toEqual([["447700900123", "Ada"]]);
  });
});
