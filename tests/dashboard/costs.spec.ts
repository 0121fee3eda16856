import { readFileSync } from "node:fs";
import { newPhone, sendPriced, uploadCard } from "../support/priced-messages";
import { sql } from "../support/rows";
import { sweep } from "../support/sweep";
import { taskClock } from "../support/tasks";
import { accessibilityFaultsInBothSchemes, expect, overflowOf, test } from "./dashboard-test";

const clock = taskClock();
test.afterAll(() => console.log(`\n${clock.table()}\n`));

const COSTS = "/dashboard/usage/costs?mode=live";
const HEAD = "country,category,price,currency,valid from";
const fileOf = (...rows: string[]) => ({
  name: "rates.csv",
  mimeType: "text/csv",
  buffer: Buffer.from([HEAD, ...rows].join("\r\n")),
});

test("from no price to a bill foreseen: a card with a fault, a good one, the costs, and a budget that is nearly used", async ({
  page,
  signIn,
  workspace,
}) => {
  for (let i = 0; i < 4; i++) await sendPriced(workspace, { to: newPhone(), category: "utility" });
  await sendPriced(workspace, { to: newPhone("GB"), category: "marketing" });
  await sendPriced(workspace, { to: newPhone(), category: "service", billable: false });
  await sweep();
  await signIn("owner", "/dashboard/usage?mode=live");
  await page.getByRole("navigation", { name: "Usage" }).getByRole("link", { name: "Costs" }).click();
  await expect(page.getByText("Estimated cost: unknown without a rate card.")).toBeVisible();
  await page.getByRole("link", { name: "Upload a rate card" }).click();

  await page
    .getByLabel("File")
    .setInputFiles(fileOf("BR,utility,20,EUR,2026-01-01", "Brasilia,utility,1,EUR,2026-01-01"));
  await page.getByRole("button", { name: "Upload" }).click();
  const faults = page.getByRole("table", { name: "Rows to fix" });
  await expect(faults).toContainText("“Brasilia”".replace(/[“”]/g, '"'));
  await expect(page.getByText("One row has to be fixed. Nothing was saved.")).toBeVisible();
  await expect(page.getByText("None yet.")).toBeVisible();
  const report = page.waitForEvent("download");
  await page.getByRole("button", { name: "Report as CSV" }).click();
  expect((await report).suggestedFilename()).toBe("rate-card-rows-to-fix.csv");
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);

  await page.getByLabel("File").setInputFiles(fileOf("BR,utility,20,EUR,2026-01-01"));
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByText("Saved: 1 price.")).toBeVisible();
  await expect(faults).toHaveCount(0);
  await page.getByLabel("Amount").fill("0");
  await page.getByRole("button", { name: "Save budget" }).click();
  await expect(page.getByText("More than 0; empty for no budget.")).toBeVisible();
  await page.getByLabel("Amount").fill("100");
  await page.getByRole("button", { name: "Save budget" }).click();
  await expect(page.getByText("Saved.", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Costs", exact: true }).first().click();
  await expect(page.getByText("80.00 EUR", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("80.00 EUR of 100.00 EUR of this month’s budget")).toBeVisible();
  const countries = page.getByRole("table", { name: "Costs by country" });
  await expect(countries.getByRole("row", { name: "Brazil 80.00 4 0 1 0 5" })).toBeVisible();
  await expect(countries.getByRole("row", { name: "United Kingdom – 1 1 0 0 1" })).toBeVisible();
  await expect(countries.getByRole("row", { name: "Total 80.00 5 1 1 0 6" })).toBeVisible();
  await expect(page.getByText("and 1 message without a price:")).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel("Range").selectOption("30d");
  // The link keeps what the page shows.
  await expect(page).toHaveURL(/range=30d/);
  await page.getByRole("link", { name: "Table" }).click();
  const days = page.getByRole("table", { name: "Costs by creation date" });
  await expect(days.getByRole("row")).toHaveCount(32);
  await page.getByLabel("Range").selectOption("12m");
  await expect(days.getByRole("row")).toHaveCount(14);

  await page.getByRole("listitem").filter({ hasText: "United Kingdom marketing (1)" }).getByRole("link").click();
  await expect(page.getByLabel("Country", { exact: true })).toHaveValue("GB");
  await expect(page.getByLabel("Category", { exact: true })).toHaveValue("marketing");
  await page.getByLabel("Price of one message").fill("1,5");
  await page.getByRole("button", { name: "Add price" }).click();
  await expect(page.getByText("Saved.", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Costs", exact: true }).first().click();
  await expect(countries.getByRole("row", { name: "Total 81.50 5 1 0 6" })).toBeVisible();
});

test("the costs of last month by country, in four actions from the overview: as a figure, a table and a file", async ({
  page,
  signIn,
  workspace,
}) => {
  const monthsAgo = (months: number, day: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day, 12)).toISOString();
  };
  await uploadCard(workspace, "BR,utility,0.00683,USD,2020-01-01", "GB,utility,0.0365,USD,2020-01-01");
  for (let i = 0; i < 3; i++)
    await sendPriced(workspace, { to: newPhone(), category: "utility", at: monthsAgo(1, 1 + i) });
  await sendPriced(workspace, { to: newPhone("GB"), category: "utility", at: monthsAgo(1, 28) });
  await sendPriced(workspace, { to: newPhone("GB"), category: "utility", at: monthsAgo(2, 28) });
  await sendPriced(workspace, { to: newPhone(), category: "utility" });
  await sweep();
  await signIn("owner", "/dashboard?mode=live");
  const task = clock.start("Costs of last month by country", "≤ 4 actions, ≤ 20 s");
  await task.act(() => page.getByRole("link", { name: "Usage", exact: true }).click());
  await task.act(() => page.getByRole("navigation", { name: "Usage" }).getByRole("link", { name: "Costs" }).click());
  await task.act(() => page.getByLabel("Range").selectOption({ label: "Last month" }));
  const countries = page.getByRole("table", { name: "Costs by country" });
  await expect(countries.getByRole("row", { name: "United Kingdom 0.03650 1 0 0 1" })).toBeVisible();
  await expect(countries.getByRole("row", { name: "Brazil 0.02049 3 0 0 3" })).toBeVisible();
  await expect(countries.getByRole("row", { name: "Total 0.05699 4 0 0 4" })).toBeVisible();
  await expect(page.getByText("0.057 USD", { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/^56 % more than .*0\.0365 USD/)).toBeVisible();
  const download = page.waitForEvent("download");
  await task.act(() => page.getByRole("link", { name: "CSV by country", exact: true }).click());
  const file = await download;
  task.done();
  expect(file.suggestedFilename()).toMatch(/^costs-\d{4}-\d\d-01-\d{4}-\d\d-\d\d-by-country\.csv$/);
  expect(
    readFileSync(await file.path(), "utf8")
      .split("\r\n")
      .at(-2),
  ).toBe("Total,0.05699,4,0,0,0,4");

  await page.getByLabel("Range").selectOption({ label: "From … to …" });
  await page.getByLabel("From").fill(monthsAgo(2, 28).slice(0, 10));
  await page.getByLabel("From").press("Enter");
  await page.getByLabel("To").fill(monthsAgo(1, 1).slice(0, 10));
  await page.getByLabel("To").press("Enter");
  await expect(countries.getByRole("row", { name: "Total 0.04333 2 0 0 2" })).toBeVisible();
  await page.getByRole("link", { name: "Messages", exact: true }).last().click();
  await expect(page.getByText(/Messages by creation date, with WhatsApp’s pricing/).last()).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
});

test("an admin and a member read costs, and are told who may change prices", async ({ page, signIn, workspace }) => {
  await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01");
  for (const role of ["admin", "member"] as const) {
    await signIn(role, "/dashboard/usage/rate-card");
    await expect(page.getByText("Only an owner can do this.").first()).toBeVisible();
    await expect(page.getByLabel("File")).toHaveCount(0);
    await expect(page.getByLabel("Amount")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Remove rate card" })).toBeDisabled();
  }
});

test("a card that was sent is not sent again by a form that shows no file", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/usage/rate-card");
  const upload = page.getByRole("button", { name: "Upload" });
  await page.getByLabel("File", { exact: true }).setInputFiles(fileOf("BR,utility,20,EUR,2026-01-01"));
  await upload.click();
  await expect(page.getByText("Saved: 1 price.")).toBeVisible();
  await expect(page.getByLabel("File", { exact: true })).toHaveValue("");
  await expect(upload).toBeDisabled();
});

test("WhatsApp's own card is read as it is, and the page shows what each row was read as", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/usage/rate-card");
  const card = [
    '"Cost per message in USD, effective October 1, 2026",,,,,,',
    'Market,Currency,Marketing,Utility,Authentication,"Authentication-\nInternational",Service',
    "Brazil,$US,0.0611,0.0066,0.0066,n/a,n/a",
    "Rest of Western Europe,$US,0.0591,0.017,0.017,n/a,n/a",
    "Other,$US,0.0603,0.0076,0.0076,n/a,n/a",
    "Chile,$US,n/a,n/a,n/a,n/a,n/a",
  ].join("\r\n");
  await page.getByLabel("File").setInputFiles({ name: "rates.csv", mimeType: "text/csv", buffer: Buffer.from(card) });
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByText("Saved: 33 prices.")).toBeVisible();
  const prices = page.getByRole("table", { name: "Prices by market, with the days on which they are valid" });
  await expect(
    prices.getByRole("row", { name: "Rest of Western Europe 0.0170 0.0591 0.0170 USD 2026-10-01 –" }),
  ).toBeVisible();
  await page.getByText("Rows of the last upload").click();
  const rows = page.getByRole("table", { name: "What each row was read as" });
  await expect(rows.getByRole("row", { name: /^3 / })).toContainText(
    "Brazil: marketing 0.0611, utility 0.0066, authentication 0.0066 USD",
  );
  await expect(rows.getByRole("row", { name: /^4 / })).toContainText("Austria, Belgium, Denmark");
  await expect(rows.getByRole("row", { name: /^5 / })).toContainText("All other countries");
  await expect(rows.getByRole("row", { name: /^1 / })).toContainText("Left out. A note above the table.");
  await expect(rows.getByRole("row", { name: /^6 / })).toContainText("Left out. It has no price.");
  await page.reload();
  await page.getByText("Rows of the last upload").click();
  await expect(rows.getByRole("row", { name: /^6 / })).toContainText("Left out. It has no price.");
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 375, height: 800 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test("a list of a later day is shown beside the one that holds until then", async ({ page, signIn, workspace }) => {
  await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01");
  await signIn("owner", "/dashboard/usage/rate-card");
  await page
    .getByLabel("File")
    .setInputFiles(fileOf("BR,utility,0.02,USD,2099-01-01", "Other,utility,1,USD,2099-01-01"));
  await page.getByRole("button", { name: "Upload" }).click();
  const lists = page.getByRole("table", { name: "Prices by the day from which they are valid" });
  await expect(lists.getByRole("row", { name: "2099-01-01 – 2, for 1 country USD" })).toBeVisible();
  await expect(lists.getByRole("row", { name: "2026-01-01 2098-12-31 1, for 1 country USD" })).toBeVisible();
  const changed = page.getByRole("table", { name: "Changed prices" });
  await expect(
    changed.getByRole("row", { name: "Brazil utility 0.01 USD 0.02 USD 100 % more 2099-01-01" }),
  ).toBeVisible();
  await expect(
    changed.getByRole("row", { name: "All other countries utility none 1.00 USD new 2099-01-01" }),
  ).toBeVisible();
});

test("a card is removed with its budget, after a question", async ({ page, signIn, workspace }) => {
  await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01");
  await signIn("owner", "/dashboard/usage/rate-card");
  await page.getByRole("button", { name: "Remove rate card" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove rate card" }).click();
  await expect(page.getByText("None yet.")).toBeVisible();
  const rows = await sql`select from rates where workspace_id = ${workspace.workspaceId}`;
  expect(rows).toHaveLength(0);
});

test("a message shows its pricing in its timeline and beside it", async ({ page, signIn, workspace }) => {
  const id = await sendPriced(workspace, { to: newPhone(), category: "utility" });
  await signIn("member", `/dashboard/messages/${id}`);
  await expect(page.getByText("Pricing: billable, utility.")).toBeVisible();
  await expect(page.getByText("Brazil")).toBeVisible();
});

test("reads without a script, and says so where there is nothing to count", async ({
  browser,
  page,
  signIn,
  workspace,
}) => {
  await signIn("member", COSTS);
  await expect(page.getByRole("heading", { name: "No pricing in this range" })).toBeVisible();
  const plain = await browser.newContext({ javaScriptEnabled: false, baseURL: workspace.baseUrl });
  await plain.addCookies(await page.context().cookies());
  await sendPriced(workspace, { to: newPhone(), category: "utility" });
  await sweep();
  const still = await plain.newPage();
  await still.goto(COSTS);
  await expect(still.getByRole("table", { name: "Costs by category" })).toContainText("utility");
  await plain.close();
});
