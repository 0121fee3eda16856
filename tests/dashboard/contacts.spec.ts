import { readFile } from "node:fs/promises";
import { sql } from "../support/rows";
import { expect, test } from "./dashboard-test";

test("a file is imported with progress; with a preview, and a sum that adds up; what was left out is reported by row, and downloads", async ({
  page,
  signIn,
  workspace,
}) => {
  const people = Array.from({ length: 1_200 }, (_, i) => `4477009${10_000 + i},Person ${i}`);
  const csv = [
    "phone,name",
    ...people.slice(0, 600),
    "07700900001,National",
    ...people.slice(600),
    ",Nobody",
    "447700911199,Person 1199",
  ].join("\n");
  await signIn("admin");
  await page.goto("/dashboard/contacts");
  await page.getByRole("link", { name: "Import CSV" }).click();
  await page.getByLabel("File").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await expect(page.getByText("1,203 rows, 1,201 to import, 2 to leave out. Nothing is saved yet.")).toBeVisible();
  await expect(page.getByRole("row", { name: "2 +447700910000 Person 0" })).toBeVisible();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("1,203 rows: 1,200 new, 1 repeated in the file, 2 left out.")).toBeVisible({
    timeout: 30_000,
  });
  await expect(page.getByRole("row", { name: /602.*national number/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /1203.*Phone is missing/ })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Report as CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("people-left-out.csv");
  expect((await readFile(await download.path(), "utf8")).trim().split("\r\n")).toHaveLength(3);
  const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from contacts where workspace_id = ${workspace.workspaceId}`;
  expect(row?.count).toBe(1_201);
  await page.getByRole("link", { name: "Open the contacts" }).click();
  await page.getByLabel("Search contacts").fill("person 119");
  await page.getByLabel("Search contacts").press("Enter");
  await expect(page.getByRole("rowheader")).toHaveCount(11);
});

test("a file of names that are as long as they may be is imported whole", async ({ page, signIn }) => {
  await signIn("owner");
  await page.goto("/dashboard/contacts/import");
  const rows = Array.from({ length: 600 }, (_, row) => `${447700800000 + row},${"🌺".repeat(200)}`);
  const buffer = Buffer.from(rows.join("\n"));
  await page.getByLabel("File").setInputFiles({ name: "flowers.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("600 rows: 600 new.")).toBeVisible({ timeout: 20_000 });
});

test("a contact is added, named, found and erased", async ({ page, signIn }) => {
  await signIn("owner");
  await page.goto("/dashboard/contacts");
  await page.getByRole("button", { name: "Add contact" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a contact" });
  await dialog.getByLabel("Phone").fill("07700 900555");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByText(/looks like a national number/)).toBeVisible();
  await dialog.getByLabel("Phone").fill("+44 7700 900555");
  await dialog.getByLabel("Name").fill("Ada Lovelace");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Ada Lovelace" })).toBeVisible();
  await expect(page.getByRole("region", { name: "24-hour window" })).toHaveText(
    "Needs a templateHas never written to you",
  );
  await page.getByRole("textbox", { name: "Name" }).fill("Ada King");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog", { name: "Ada King" })).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download as JSON" }).click();
  expect((await download).suggestedFilename()).toMatch(/^person-ct_\w+\.json$/);
  await page.getByRole("button", { name: "Erase this person…" }).click();
  await expect(page.getByRole("button", { name: "Erase for good" })).toBeDisabled();
  await page.getByLabel("Type “erase” to confirm").fill("erase");
  await page.getByRole("button", { name: "Erase for good" }).click();
  await expect(page.getByText("This contact was erased on")).toBeVisible();
  await page.goto("/dashboard/contacts?q=ada");
  await expect(page.getByRole("heading", { name: "No contact matches" })).toBeVisible();
});

test("a contact's page shows what was sent, when the person wrote, and how long free text is allowed", async ({
  page,
  signIn,
  workspace,
}) => {
  const [contact] = await sql<{ id: string }[]>`
      update contacts set last_inbound_at = now() - interval '9 hours 20 minutes'
      where workspace_id = ${workspace.workspaceId} returning id`;
  await signIn("owner", `/dashboard/contacts/${contact?.id}`);
  await expect(page.getByRole("region", { name: "24-hour window" })).toContainText(
    /Free text for another 14 h (39|40) min/,
  );
  const conversation = page.getByRole("region", { name: "Conversation" });
  await expect(conversation.getByRole("listitem")).toHaveCount(3);
  await expect(conversation.getByRole("listitem").first()).toContainText("Wrote to you");
  await expect(conversation.getByRole("listitem").last()).toContainText("It waits at the counter.");
  await expect(conversation).toContainText("What people write is not stored");
  await page.context().clearCookies();
  await signIn("member", `/dashboard/contacts/${contact?.id}`);
  await expect(conversation.getByRole("listitem")).toHaveCount(3);
  expect(await page.content()).not.toContain("It waits at the counter.");
});
