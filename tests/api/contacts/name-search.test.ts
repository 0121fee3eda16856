import { describe, expect, test } from "vitest";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { foldNames } from "@/lib/contacts/fold-names";
import { listContacts } from "@/lib/contacts/queries";
import { renameContact } from "@/lib/contacts/save-contacts";
import { provenWorkspaceId } from "@/lib/core/principal";
import { listTemplates } from "@/lib/templates/queries";
import { command } from "@/lib/workspaces/record-audit";
import { sql } from "../../support/rows";
import { templateRecord } from "../../support/template-records";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const NAMES = [
  "Élodie Martin",
  "İpek Yıldız",
  "Σωκράτης",
  "Straße 1",
  "أَحْمَد",
  "Łukasz",
  "100% Ada",
  "Мой",
  "Ana García-López (shop)",
];
const newWorkspace = () =>
  provisionWorkspace({ contacts: NAMES.map((name, at) => ({ ref: `c${at}`, phone: `44770090012${at}`, name })) });

const namesFound = async ({ workspaceId }: TestWorkspace, text: string) => {
  const search = readContactSearch(text, "owner");
  const { rows } = await listContacts(provenWorkspaceId(workspaceId), { search, older: undefined, newer: undefined });
  return rows.map(({ name }) => name);
};
const waitingIn = async ({ workspaceId }: TestWorkspace) => {
  const rows = await sql`select id from contacts where workspace_id = ${workspaceId} and folded_name is null`;
  return rows.length;
};

test("a search for templates finds part of a name in any spelling", async () => {
  const workspace = await provisionWorkspace({
    templates: [templateRecord("indirim_2", []), templateRecord("other", [])],
  });
  for (const search of ["İNDİRİM", "ındırım", "DIRIM_", "\u200bindirim"]) {
    const own = provenWorkspaceId(workspace.workspaceId);
    const found = await listTemplates(own, { mode: "live", search }, { limit: 10 });
    expect(found, search).toMatchObject([{ name: "indirim_2" }]);
  }
});

test("a search by digits finds a number by its end, without its country code and by any four, and no user id", async () => {
  const workspace = await newWorkspace();
  await sql`
    insert into contact_names (workspace_id, contact_id, name, account)
    values (${workspace.workspaceId}, ${workspace.contacts.c1 ?? ""}, 'GB.10007700900120', 'a')`;
  for (const text of ["0120", "07700 900120", "7700900120", "9001 20", "447700900120"])
    expect(await namesFound(workspace, text), text).toEqual(["Élodie Martin"]);
  expect(await namesFound(workspace, "9001")).toHaveLength(NAMES.length);
  for (const text of ["+7700900120", "1000"]) expect(await namesFound(workspace, text), text).toEqual([]);
});

describe("a search by name, on a cluster with locale C as on any other", () => {
  test("finds the beginnings of a name's words in any order and spelling, before the sweeper has folded it and after", async () => {
    const workspace = await newWorkspace();
    const find = async () => {
      const found: Record<string, string[]> = {
        "Élodie Martin": ["élodie", "ELODIE M", "e\u0301lod", "\u202aélodie\u202c", "martin", "mart élo"],
        "İpek Yıldız": ["ipek yildiz", "IPEK", "İPEK", "ıpek", "yıldız", "YILD"],
        Σωκράτης: ["σωκρατης", "ΣΩΚΡΆΤΗΣ"],
        "Straße 1": ["strasse", "STRASSE 1"],
        أَحْمَد: ["أحمد", "أحـ"],
        Łukasz: ["luk", "ŁUK"],
        "100% Ada": ["100%", "ada", "ada 100%"],
        "Ana García-López (shop)": ["lopez", "SHOP", "garc ana"],
      };
      for (const [name, spellings] of Object.entries(found))
        for (const text of spellings) expect(await namesFound(workspace, text), text).toEqual([name]);
      for (const text of ["lodie", "мои", "10_", "احمد", "ana martin", "%lopez"])
        expect(await namesFound(workspace, text), text).toEqual([]);
    };
    await find();
    await foldNames();
    expect(await waitingIn(workspace)).toBe(0);
    await find();
  });

  test("finds a changed name by nothing but itself, whichever release changed it", async () => {
    const workspace = await newWorkspace();
    await foldNames();
    const contactId = workspace.contacts.c0 ?? "";
    const own = provenWorkspaceId(workspace.workspaceId);
    await renameContact(own, { contactId, name: "Zoë" }, command("test"));
    expect(await namesFound(workspace, "élodie")).toEqual([]);
    expect(await namesFound(workspace, "zoe")).toEqual(["Zoë"]);
    await foldNames();
    expect(await namesFound(workspace, "ZOË")).toEqual(["Zoë"]);
    // As a server of 0.6 does, which does not know the column.
    await sql`update contacts set name = 'Noël' where workspace_id = ${own} and id = ${contactId}`;
    expect([await namesFound(workspace, "zoe"), await namesFound(workspace, "noel")]).toEqual([[], ["Noël"]]);
  });

  test("a name that folds to many bytes is stored and found", async () => {
    const workspace = await newWorkspace();
    const name = "\ufdfa".repeat(200);
    const contactId = workspace.contacts.c0 ?? "";
    await renameContact(provenWorkspaceId(workspace.workspaceId), { contactId, name }, command("test"));
    await foldNames();
    expect(await waitingIn(workspace)).toBe(0);
    expect(await namesFound(workspace, "\ufdfa\ufdfa")).toEqual([name]);
  });
});
