import { expect, test } from "vitest";
import { readContactFile } from "@/lib/contacts/contact-file";
import { auditEntries, sql } from "../../support/rows";
import { readAs } from "../../support/session";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const exportOf = (workspace: TestWorkspace, role: "owner" | "admin" | "member") =>
  readAs(workspace[role], `/api/v1/workspaces/${workspace.workspaceId}/contacts/export`);

test("every contact with a number is exported once, as an import reads it, and the log says by whom", async () => {
  const workspace = await provisionWorkspace({
    contacts: [
      { ref: "ada", phone: "447700900001", name: 'Ada "The Countess", Lovelace' },
      { ref: "bob", phone: "15123456789", name: "=1+1" },
      { ref: "cid", phone: "4915112345678" },
    ],
  });
  // One moment for many, as an import stores them: a page may end among them.
  await sql`
    insert into contacts (workspace_id, id, phone, name)
    select ${workspace.workspaceId}, 'ct_' || lpad(n::text, 26, '0'), (447700910000 + n)::text, null
    from generate_series(1, 1200) as n`;
  await sql`
    update contacts set marketing_opted_out_at = '2026-10-01T12:00:00Z', marketing_opt_out_source = 'word'
    where workspace_id = ${workspace.workspaceId} and phone = '15123456789'`;
  const answer = await exportOf(workspace, "admin");
  expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
    200,
    'attachment; filename="contacts.csv"',
  ]);
  const bytes = new TextEncoder().encode(answer.text);
  for (const country of ["DE", "US", null] as const) {
    const file = readContactFile({ name: "contacts.csv", bytes }, { country });
    const rows = "rows" in file ? file.rows : [];
    expect(rows.filter((row) => "reason" in row || row.given !== null)).toEqual([]);
    // Other programs read who stopped marketing, and an import says so.
    expect(rows.filter((row) => "phone" in row && row.isRefused)).toMatchObject([{ phone: "15123456789" }]);
    const people = new Map(rows.flatMap((row) => ("phone" in row ? [[row.phone, row.name]] : [])));
    expect([rows.length, people.size]).toEqual([1_203, 1_203]);
    expect(people.get("447700900001")).toBe('Ada "The Countess", Lovelace');
    expect(people.get("15123456789")).toBe("=1+1");
    expect(people.get("4915112345678")).toBe(null);
  }
  expect((await auditEntries(workspace.workspaceId)).at(-1)).toMatchObject({ action: "contact.listExported" });
  expect((await exportOf(workspace, "member")).status).toBe(403);
});
