import { readFile } from "node:fs/promises";
import { sql } from "../support/rows";
import { accessibilityFaultsInBothSchemes, expect, overflowOf, test } from "./dashboard-test";

test("a file is imported with progress; with a preview, and a sum that adds up; what was left out is reported by row, and downloads", async ({
  page,
  signIn,
  workspace,
}) => {
  const people = Array.from({ length: 1_200 }, (_, i) => `4477009${10_000 + i},Person ${i}`);
  const csv = [
    "phone,name,Accepts SMS Marketing",
    `${people[0]},yes`,
    `${people[1]},no`,
    ...people.slice(2, 600),
    "07700900,Too short",
    ...people.slice(600),
    ",Nobody",
    "447700911199,Person 1199",
  ].join("\n");
  await signIn("admin", "/dashboard/contacts");
  await page.getByRole("link", { name: "Import CSV" }).click();
  await page.getByLabel("File").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await expect(page.getByText("1,203 rows, 1,201 to import, 2 to leave out. Nothing is saved yet.")).toBeVisible();
  await expect(page.getByRole("row", { name: "2 +447700910000 Person 0" })).toBeVisible();
  await expect(page.getByText("“Accepts SMS Marketing” (no in 1 row)")).toBeVisible();
  const refused = page.getByLabel("Who does not accept marketing");
  await refused.selectOption({ label: "Leave them out" });
  await expect(page.getByText("1,203 rows, 1,200 to import, 3 to leave out.")).toBeVisible();
  await refused.selectOption({ label: "Import them, too" });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("1,203 rows: 1,200 new, 1 repeated in the file, 2 left out.")).toBeVisible({
    timeout: 30_000,
  });
  await expect(page.getByRole("row", { name: /602.*not a number of United Kingdom/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /1203.*Phone is missing/ })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Report as CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("people-left-out.csv");
  const report = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
  expect(report.map((line) => line.split(",").slice(0, 3).join())).toEqual([
    "row,name,phone",
    "602,Too short,07700900",
    "1203,Nobody,",
    "3,Person 1,'+447700910001",
  ]);
  expect(report.at(-1)).toContain('Imported. Does not accept marketing in ""Accepts SMS Marketing"".');
  const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from contacts where workspace_id = ${workspace.workspaceId}`;
  expect(row?.count).toBe(1_201);
  await page.getByRole("link", { name: "Open the contacts" }).click();
  await page.getByLabel("Search contacts").fill("person 119");
  await page.getByLabel("Search contacts").press("Enter");
  await expect(page.getByRole("rowheader")).toHaveCount(11);
});

const file = (name: string) => new URL(`../files/${name}`, import.meta.url).pathname;

test("national numbers are completed for the country of the lines, shown, and stored as shown", async ({
  page,
  signIn,
  workspace,
}) => {
  await signIn("owner", "/dashboard/contacts/import");
  const importButton = page.getByRole("button", { name: "Import", exact: true });
  await expect(importButton).toHaveAttribute("aria-disabled", "true");
  await page.getByLabel("File").setInputFiles(file("excel-unicode.txt"));
  await expect(page.getByLabel("Encoding")).toHaveValue("utf-16le");
  await expect(page.getByLabel("Separator")).toHaveValue("\t");
  await expect(page.getByLabel("Country of national numbers")).toHaveValue("GB");
  await expect(page.getByText("4 rows, 3 to import, 1 to leave out. Nothing is saved yet.")).toBeVisible();
  await expect(
    page.getByText("2 numbers are guessed from the cell, national ones as of United Kingdom."),
  ).toBeVisible();
  await page.getByText("Guessed numbers (2)").click();
  await expect(page.getByRole("row", { name: "3 +447700900002 Guessed from 07700 900002 李小龙" })).toBeVisible();
  await expect(page.getByRole("row", { name: "4 +447700900003 Guessed from 7700900003 Bob" })).toBeVisible();
  await page.getByLabel("Country of national numbers").selectOption({ label: "None: leave them out" });
  await expect(page.getByText("4 rows, 2 to import, 2 to leave out.")).toBeVisible();
  await page.getByLabel("Country of national numbers").selectOption("GB");
  await importButton.click();
  await expect(page.getByText(/^4 rows: .*1 left out\.$/)).toBeVisible();
  const rows = await sql<{ phone: string; name: string }[]>`
      select phone, name from contacts where workspace_id = ${workspace.workspaceId} and phone ~ '^44770090000[123]$' order by phone`;
  expect(rows.map(({ phone, name }) => [phone, name])).toEqual([
    ["447700900001", "Zoë Łukasz"],
    ["447700900002", "李小龙"],
    ["447700900003", "Bob"],
  ]);
});

test("columns and encoding are proposed, and the file is read as the owner chooses", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/contacts/import");
  await page.getByLabel("File").setInputFiles(file("outlook-fr.csv"));
  await page.getByLabel("Country of national numbers").selectOption("FR");
  await expect(page.getByLabel("Encoding")).toHaveValue("windows-1252");
  await expect(
    page.getByRole("row", { name: "2 +33639981234 Guessed from 06 39 98 12 34 Éloïse Müller" }),
  ).toBeVisible();
  await expect(page.getByLabel("Phone column")).toHaveValue("15");
  await page.getByLabel("Phone column").selectOption({ label: "Téléphone 2 (bureau)" });
  await expect(page.getByText("3 rows, 0 to import, 3 to leave out.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Import", exact: true })).toHaveAttribute("aria-disabled", "true");
  await page.getByLabel("Phone column").selectOption({ index: 15 });
  await page.getByLabel("Last name column").selectOption({ label: "None" });
  await expect(page.getByRole("row", { name: /Éloïse$/ })).toBeVisible();
  await page.getByLabel("Encoding").selectOption("utf-8");
  await expect(page.getByText("The name has characters that cannot be read.").first()).toBeVisible();
  await page
    .getByLabel("File")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from("PK\x03\x04") });
  await expect(page.getByRole("alert").filter({ hasText: "This is an Excel workbook, not a CSV file." })).toBeVisible();
});

test("a file of another language than the lines' country asks for its own; a second phone column and repeats are shown", async ({
  page,
  signIn,
}) => {
  await signIn("owner", "/dashboard/contacts/import");
  const text = [
    "Vorname;Nachname;Handy;Telefon",
    "Ada;Groß;0171 3920012;030 901820",
    "Bob;Öz;;030 23125000",
    "Cid;Öz;0171/3920012 / 030 901820;",
    "Dan;Öz;15228817386;",
    "Eve;Öz;0151;",
  ].join("\r\n");
  const upload = { name: "kunden.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.getByLabel("File").setInputFiles(upload);
  const country = page.getByLabel("Country of national numbers");
  await expect(country).toHaveValue("-");
  await expect(page.getByText("Choose it if the file has numbers without a country code")).toBeVisible();
  await expect(page.getByText(/has no country code\. Choose the country of national numbers/).first()).toBeVisible();
  await country.selectOption("DE");
  await expect(page.getByLabel("Where it is empty")).toHaveValue("3");
  await expect(
    page.getByRole("row", { name: "3 +493023125000 Guessed from 030 23125000 From Telefon Bob Öz" }),
  ).toBeVisible();
  await expect(page.getByText("1 from another column than the phone’s, which may be another person’s.")).toBeVisible();
  const repeated =
    "4 +491713920012 Guessed from 0171/3920012 / 030 901820 Another number in its cell is left out. As in row 2 Cid Öz";
  await expect(page.getByRole("row", { name: repeated })).toBeVisible();
  await expect(page.getByRole("row", { name: /"0151" .* 4 digits are too few/ })).toBeVisible();
  await page.getByLabel("Numbers such as 15228817386").selectOption({ label: "+4915228817386, of Germany" });
  await expect(page.getByText("5 rows, 4 to import, 1 to leave out.")).toBeVisible();
  await page.getByText("Repeated (1)").click();
  await expect(page.getByRole("row", { name: repeated })).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await page.getByLabel("Where it is empty").selectOption({ label: "None" });
  await expect(page.getByText("5 rows, 3 to import, 2 to leave out.")).toBeVisible();
  await page.setViewportSize({ width: 375, height: 800 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);

  await page.getByLabel("File").setInputFiles({ ...upload, buffer: Buffer.from("447700900001\n447700900002") });
  await expect(page.getByLabel("Separator").getByRole("option", { selected: true })).toHaveText("None: one column");
});

test("contacts are exported as a file that imports unchanged", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/contacts/import");
  const names = ['"Love""lace, Ada"', "=1+1", "Zoë 李", '"two\nlines"', "'quoted"];
  const text = names.map(
    (name, at) => `${[447700900001, 15123456789, 4915112345678, 2025550123, 33639981234][at]},${name}`,
  );
  const upload = { name: "contacts.csv", mimeType: "text/csv", buffer: Buffer.from(text.join("\n")) };
  await page.getByLabel("File").setInputFiles(upload);
  await page.getByLabel("Country of national numbers").selectOption({ label: "None: leave them out" });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText(/^5 rows: /)).toBeVisible();
  await page.goto("/dashboard/contacts");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("contacts.csv");
  for (const country of ["GB", "DE", "US", "-"]) {
    await page.goto("/dashboard/contacts/import");
    await page.getByLabel("File").setInputFiles(await download.path());
    await page.getByLabel("Country of national numbers").selectOption(country);
    await expect(page.getByText(/^(\d+) rows, \1 to import\. Nothing is saved yet\.$/)).toBeVisible();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await expect(page.getByText(/^(\d+) rows: \1 unchanged\.$/)).toBeVisible();
  }
  await page.goto("/dashboard/contacts/import");
  await page.getByLabel("File").setInputFiles({ ...upload, buffer: Buffer.from("+15123456789,Ana") });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("1 row: 1 with a new name.")).toBeVisible();
  await expect(
    page.getByRole("row", { name: '1 Ana +15123456789 Imported. The name was "=1+1" before.' }),
  ).toBeVisible();
});

test("a file of names that are as long as they may be is imported whole", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/contacts/import");
  const rows = Array.from({ length: 600 }, (_, row) => `${447700800000 + row},${"🌺".repeat(200)}`);
  const buffer = Buffer.from(rows.join("\n"));
  await page.getByLabel("File").setInputFiles({ name: "flowers.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("600 rows: 600 new.")).toBeVisible({ timeout: 20_000 });
});

test("a contact is added, named, found and erased", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/contacts");
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
  await expect(page.getByText("A stop of marketing messages is forgotten, too")).toBeVisible();
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
