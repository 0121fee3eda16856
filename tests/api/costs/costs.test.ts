import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { addDays, daysBetween } from "@/lib/core/local-time";
import { provenWorkspaceId } from "@/lib/core/principal";
import { toCostTable } from "@/lib/costs/cost-counts";
import type { CostScope } from "@/lib/costs/cost-range";
import { findBudget, findRateCard, listCosts } from "@/lib/costs/queries";
import { runCommand } from "../../support/commands";
import { CARD_HEAD, newPhone, onRateCard, sendPriced, uploadCard } from "../../support/priced-messages";
import { RATE_CARD } from "../../support/programs";
import { auditEntries, sql } from "../../support/rows";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import { provisionWorkspace, type Sign, type TestWorkspace } from "../../support/workspace";

const today = () => new Date().toISOString().slice(0, 10);

const page = ({ workspaceId }: TestWorkspace, as: Sign, query = "mode=live") =>
  readAs(as, `/dashboard/usage/costs?workspace=${workspaceId}&${query}`);

const scopeOf = (first: string, last: string): CostScope => ({
  mode: "live",
  by: "day",
  days: daysBetween(first, last, "UTC"),
});

/** What the roll-up has, and what it is counted from; the two must never differ. */
const counted = ({ workspaceId }: TestWorkspace) => sql`
  select to_char(starts_at at time zone w.time_zone, 'YYYY-MM-DD') as day, country, category, type, billable,
    sum(count)::int as count, sum(delivered)::int as delivered
  from priced_by_day d join workspaces w on w.id = d.workspace_id where workspace_id = ${workspaceId}
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;
const there = ({ workspaceId }: TestWorkspace) => sql`
  select to_char(m.created_at at time zone w.time_zone, 'YYYY-MM-DD') as day, recipient_country as country,
    pricing_category as category, pricing_type as type, pricing_billable as billable, count(*)::int as count,
    (count(*) filter (where status in ('DELIVERED', 'READ')))::int as delivered
  from messages m join workspaces w on w.id = m.workspace_id
  where workspace_id = ${workspaceId} and priced_at is not null
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;

describe("the counts by category and country", () => {
  test("are those of the messages, by the workspace's day, and follow a price that comes late and a clock that moves", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    await sendPriced(workspace, { to: newPhone(), category: "utility" });
    await sendPriced(workspace, { to: newPhone(), category: "utility", status: "sent" });
    await sendPriced(workspace, { to: newPhone("GB"), category: "marketing", at: "2026-03-04T20:35:00Z" });
    await sendPriced(workspace, { to: newPhone("GB"), category: "service", billable: false });
    await workspace.send({ type: "text", phone: newPhone(), content: "without a price" });
    await sweep();
    expect(await counted(workspace)).toEqual(await there(workspace));
    expect((await counted(workspace)).reduce((sum, { count }) => sum + count, 0)).toBe(4);
    await sendPriced(workspace, { to: newPhone("IN"), category: "utility", at: "2026-03-04T18:25:00Z" });
    for (const zone of ["Asia/Kolkata", "America/New_York"]) {
      await sql`update workspaces set time_zone = ${zone} where id = ${workspaceId}`;
      const expected = await there(workspace);
      await expect.poll(() => Promise.all([sweep(), sweep()]).then(() => counted(workspace))).toEqual(expected);
    }
    expect((await counted(workspace))[0]).toMatchObject({ day: "2026-03-04", country: "GB" });
  });

  test("are of one workspace: another's page has none of them", async ({ workspace, other: stranger }) => {
    await sendPriced(workspace, { to: newPhone(), category: "a_category_of_one" });
    await sweep();
    expect((await page(workspace, workspace.member)).text).toContain("a_category_of_one");
    expect((await page(workspace, stranger.owner)).text).not.toContain("a_category_of_one");
  });
});

describe("an estimate", () => {
  test("is what was delivered and is billable, by the price of its country, day and category", async () => {
    const workspace = await provisionWorkspace();
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    expect(
      (
        await uploadCard(
          workspace,
          "Other,utility,9,USD,2026-01-01",
          "BR,utility,0.01,USD,2026-01-01",
          `BR,utility,0.02,USD,${today()}`,
          "BR,utility,0.5,USD,2099-01-01",
          "Rest of Western Europe,utility,7,USD,2026-01-01",
          "IN,marketing,1.25,INR,2026-01-01",
        )
      ).said,
    ).toMatchObject({ ok: true, value: { faults: [] } });
    await sendPriced(workspace, { to: newPhone(), category: "utility" });
    await sendPriced(workspace, { to: newPhone(), category: "utility", status: "read" });
    await sendPriced(workspace, { to: newPhone(), category: "utility", at: yesterday });
    await sendPriced(workspace, { to: newPhone(), category: "utility", status: "sent" });
    await sendPriced(workspace, { to: newPhone(), category: "utility", billable: false });
    await sendPriced(workspace, { to: newPhone("GB"), category: "utility" });
    await sendPriced(workspace, { to: newPhone("GB"), category: "marketing" });
    await sendPriced(workspace, { to: newPhone("IN"), category: "marketing" });
    await sweep();
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const from = yesterday.slice(0, 10);
    const scope = scopeOf(from, today());
    const costs = await listCosts(workspaceId, scope, ["line", "template", "key"]);
    expect(costs.country.toSorted((one, other) => other.messages - one.messages)).toEqual([
      { id: "BR", messages: 5, billable: 3, free: 1, costs: [{ currency: "USD", amount: "0.05" }], unpriced: 0 },
      { id: "GB", messages: 2, billable: 2, free: 0, costs: [{ currency: "USD", amount: "9" }], unpriced: 1 },
      { id: "IN", messages: 1, billable: 1, free: 0, costs: [{ currency: "INR", amount: "1.25" }], unpriced: 0 },
    ]);
    for (const subject of ["category", "time", "line", "template", "key"] as const) {
      const { lines, decimals } = toCostTable(costs[subject], { currency: "USD" });
      expect(lines.at(-1), subject).toMatchObject({
        messages: 8,
        billable: 6,
        unpriced: 1,
        amounts: { INR: "1.25", USD: "9.05" },
      });
      expect(decimals).toEqual({ INR: 2, USD: 2 });
    }
    const link = "/dashboard/usage/rate-card?country=GB&amp;category=marketing&amp;from=";
    for (const [role, mayAddPrices] of [
      ["owner", true],
      ["member", false],
    ] as const) {
      const { text } = await page(workspace, workspace[role]);
      for (const words of [
        "9.05 USD",
        "and 1.25 INR",
        "and 1 message without a price:",
        "United Kingdom marketing (1)",
      ])
        expect(text).toContain(words);
      expect(text.includes(link), role).toBe(mayAddPrices);
      expect(text).toContain("Volume tiers");
    }
  });

  test("of a territory without a row is that of the country whose calling code it shares, before all others", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    const rows = [
      "GB,0.1",
      "Italy,0.2",
      "RE,0.3",
      "Rest of Western Europe,0.4",
      "North America,0.5",
      "Russia,0.6",
      "Other,9",
    ];
    await uploadCard(workspace, ...rows.map((row) => row.replace(",", ",utility,").concat(",USD,2026-01-01")));
    const expected: Record<string, string> = {
      GG: "0.1",
      JE: "0.1",
      IM: "0.1",
      VA: "0.2",
      YT: "0.3",
      AX: "0.4",
      SJ: "0.4",
      US: "0.5",
      BS: "9",
      RU: "0.6",
      KZ: "9",
      JP: "9",
    };
    await sql`
        insert into priced_by_day
        select ${workspaceId}, 'live', date_trunc('day', now(), 'UTC'), date_trunc('day', now(), 'UTC') + interval '1 day', 'pn', 'ak', '', country, 'utility', 'regular', true, 1, 1
        from json_array_elements_text(${JSON.stringify(Object.keys(expected))}::text::json) country`;
    const scope = scopeOf(today(), today());
    const prices = async () => {
      const { country } = await listCosts(provenWorkspaceId(workspaceId), scope);
      return Object.fromEntries(country.map(({ id, costs: [cost] }) => [id, cost?.amount]));
    };
    expect(await prices()).toEqual(expected);
    await uploadCard(workspace, "GB,utility,0.1,USD,2026-01-01", "Jersey,utility,0.7,USD,2026-01-01");
    expect(await prices()).toMatchObject({ GG: "0.1", JE: "0.7" });
  });

  test("takes a category in each of WhatsApp's spellings, also where the release before stored it as it came", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    await uploadCard(workspace, "BR,authentication-international,0.05,USD,2026-01-01");
    await onRateCard(workspace, "saveBudget", { fields: { budget: "10", budgetCurrency: "USD" } });
    for (const category of [
      "authentication-international",
      "AUTHENTICATION_INTERNATIONAL",
      "authentication_international",
    ])
      await sendPriced(workspace, { to: newPhone(), category });
    await sweep();
    expect(await counted(workspace)).toMatchObject([{ category: "authentication_international", count: 3 }]);
    // As it was stored until 0.7.
    await sql`
        update messages set pricing_category = 'authentication-international'
        where workspace_id = ${workspaceId} and id = (select min(id) from messages where workspace_id = ${workspaceId})`;
    await sql`delete from messages_by_quarter where workspace_id = ${workspaceId}`;
    await sweep();
    const scope = scopeOf(today(), today());
    const id = provenWorkspaceId(workspaceId);
    const { market } = await listCosts(id, scope);
    expect(market).toMatchObject([
      { id: "BR authentication_international", messages: 3, costs: [{ amount: "0.15" }], unpriced: 0 },
    ]);
    expect(await findBudget(id)).toMatchObject({ spent: "0.15" });
  });

  test("of a country's own row goes before that of its region, whatever is later, and an unknown country has none", async () => {
    const workspace = await provisionWorkspace();
    await uploadCard(
      workspace,
      "North America,utility,5,USD,2026-10-01",
      "US,utility,3,USD,2026-01-01",
      "Other,utility,1,USD,2026-10-01",
    );
    const { workspaceId } = workspace;
    for (const to of ["14155552671", "16135550123", newPhone()])
      await sendPriced(workspace, { to, category: "utility" });
    await sql`
        update messages set recipient_country = null where workspace_id = ${workspaceId} and recipient_country = 'BR'`;
    await sweep();
    const scope = scopeOf(today(), today());
    const { country } = await listCosts(provenWorkspaceId(workspaceId), scope);
    const rows = country.map(({ id, costs, unpriced }) => [id, costs[0]?.amount, unpriced]);
    expect(rows.toSorted()).toEqual([
      ["", undefined, 1],
      ["CA", "5", 0],
      ["US", "3", 0],
    ]);
    expect((await page(workspace, workspace.member)).text).toContain("unknown country utility (1)");
  });
});

describe("a rate card", () => {
  const cardOf = ({ workspaceId }: TestWorkspace) => findRateCard(provenWorkspaceId(workspaceId));

  test("with a fault saves nothing and names the row; a good one replaces the one before, in its workspace alone", async () => {
    const [workspace, other] = [await provisionWorkspace(), await provisionWorkspace()];
    for (const one of [workspace, other]) await uploadCard(one, "BR,utility,0.01,USD,2026-01-01");
    const refused = await uploadCard(workspace, "GB,utility,1,GBP,2026-01-01", "Nowhere,utility,1,GBP,2026-01-01");
    expect(refused.said).toMatchObject({
      ok: true,
      value: { prices: 0, faults: [{ row: 3, reason: expect.stringContaining('"Nowhere"') }] },
    });
    expect(await cardOf(workspace)).toMatchObject({ lists: [{ prices: 1, currencies: ["USD"] }] });
    expect((await uploadCard(workspace, "North America,utility,1,GBP,2026-01-01")).said).toMatchObject({
      value: { prices: 2, faults: [] },
    });
    expect(await cardOf(workspace)).toMatchObject({
      lists: [{ prices: 2, countries: 2, currencies: ["GBP"] }],
      budget: null,
    });
    expect(await cardOf(other)).toMatchObject({ lists: [{ prices: 1, currencies: ["USD"] }] });
    const entries = await auditEntries(workspace.workspaceId);
    expect(entries.filter(({ action }) => action === "rateCard.uploaded")).toHaveLength(2);
    expect((await onRateCard(workspace, "deleteRateCard")).said).toMatchObject({ ok: true });
    expect(await cardOf(workspace)).toBeUndefined();
    expect(await cardOf(other)).toMatchObject({ lists: [{ prices: 1 }] });
  });

  test("of a later day leaves the prices and the budget of the days before as they are, and ends them on that day", async () => {
    const workspace = await provisionWorkspace();
    const id = provenWorkspaceId(workspace.workspaceId);
    const day = (days: number) => addDays(today(), days);
    const costsOf = async () => {
      const { total } = await listCosts(id, scopeOf(day(-2), day(2)));
      const prices = [];
      for (let at = -2; at <= 2; at++) {
        const { country } = await listCosts(id, scopeOf(day(at), day(at)));
        prices.push(
          ...country
            .toSorted((one, other) => (one.id < other.id ? -1 : 1))
            .map(({ costs: [cost] }) => cost?.amount ?? null),
        );
      }
      return [total.costs, total.unpriced, prices];
    };
    await uploadCard(workspace, `BR,utility,0.01,USD,${day(-1)}`, `Other,utility,5,USD,${day(-2)}`);
    await onRateCard(workspace, "saveBudget", { fields: { budget: "10", budgetCurrency: "USD" } });
    await sql`
        insert into priced_by_day
        select ${id}, 'live', day, day + interval '1 day', 'pn', 'ak', '', country, 'utility', 'regular', true, 1, 1
        from generate_series(date_trunc('day', now(), 'UTC') - interval '2 days', now() + interval '2 days', '1 day') day,
          (values ('BR'), ('GB')) given (country)`;
    const before = ["5", "5", "0.01", "5", "0.01", "5", "0.01", "5", "0.01", "5"];
    expect(await costsOf()).toEqual([[{ currency: "USD", amount: "30.04" }], 0, before]);
    const inBudget = await findBudget(id);

    // As WhatsApp publishes a list before its first day, in another currency and without prices for the others.
    const said = await uploadCard(workspace, `BR,utility,0.02,EUR,${day(1)}`);
    expect(said.said).toMatchObject({ value: { prices: 1, budgetRemoved: null } });
    const later = ["5", "5", "0.01", "5", "0.01", "5", "0.02", null, "0.02", null];
    const costs = [
      { currency: "EUR", amount: "0.04" },
      { currency: "USD", amount: "20.02" },
    ];
    expect(await costsOf()).toEqual([costs, 2, later]);
    expect(await findBudget(id)).toEqual(inBudget);
    expect(inBudget).toMatchObject({ budget: "10.00" });
    // The same list again, and one from between, which replaces it.
    await uploadCard(workspace, `BR,utility,0.02,EUR,${day(1)}`);
    expect(await costsOf()).toEqual([costs, 2, later]);
    await uploadCard(workspace, `Other,utility,1,USD,${today()}`);
    const last = ["5", "5", "0.01", "5", "1", "1", "1", "1", "1", "1"];
    expect(await costsOf()).toEqual([[{ currency: "USD", amount: "21.01" }], 0, last]);
  });

  test("of several days ends each country's price on its own first day, and those that it does not name on the first of all", async () => {
    const workspace = await provisionWorkspace();
    const id = provenWorkspaceId(workspace.workspaceId);
    const day = (days: number) => addDays(today(), days);
    const rows = ["DE", "FR", "GB", "Rest of Western Europe"];
    await uploadCard(
      workspace,
      ...rows.map((market) => `${market},utility,1,USD,${day(-9)}`),
      `FR,marketing,1,USD,${day(-9)}`,
    );
    await uploadCard(workspace, `FR,utility,2,USD,${day(9)}`);
    const card = [`DE,utility,3,USD,${day(1)}`, `FR,utility,3,USD,${day(3)}`, `North America,utility,3,USD,${day(2)}`];
    // The same list again changes nothing.
    for (const _ of ["first", "again"]) {
      await uploadCard(workspace, ...card);
      const stored = await sql`
        select country, category, price::float as price, valid_from::text as from, valid_until::text as until from rates
        where workspace_id = ${id} and country in ('DE', 'FR', 'GB', 'AT', 'US') order by country, category, valid_from`;
      expect(stored.map((rate) => Object.values(rate))).toEqual([
        ["AT", "utility", 1, day(-9), day(1)],
        ["DE", "utility", 1, day(-9), day(1)],
        ["DE", "utility", 3, day(1), null],
        ["FR", "marketing", 1, day(-9), day(1)],
        ["FR", "utility", 1, day(-9), day(3)],
        ["FR", "utility", 3, day(3), null],
        ["GB", "utility", 1, day(-9), day(1)],
        ["US", "utility", 3, day(2), null],
      ]);
    }
  });

  test("is stored whatever characters its notes have, and a day above it that is not read changes no price", async () => {
    const workspace = await provisionWorkspace();
    const folder = mkdtempSync(path.join(os.tmpdir(), "card-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const save = (text: string) => {
      const file = path.join(folder, "card.csv");
      writeFileSync(file, text);
      return runCommand(RATE_CARD, ["--workspace", workspace.workspaceId, "--file", file]);
    };
    const table = "Market,Currency,Marketing\nBrazil,USD,0.06\n";
    const note = `A\0\0 note ${"x".repeat(5_000)},,\n`;
    const saved = await save(`Effective 2026-01-01,,\n${note}${table}${note}`);
    expect([saved.exitCode, saved.stderr]).toEqual([0, ""]);
    const [{ rows } = { rows: [] }] = await sql<{ rows: { given: string }[] }[]>`
      select rows from rate_cards where workspace_id = ${workspace.workspaceId}`;
    expect(rows.map(({ given }) => given.length)).toEqual([20, 201, 201, 6]);
    const refused = await save(`Gültig ab 1. Oktober 2026,,\n${table}`);
    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toContain("The day above the table cannot be read. Write it as 2026-10-01.");
    expect(await sql`select valid_from::text as day from rates where workspace_id = ${workspace.workspaceId}`).toEqual([
      { day: "2026-01-01" },
    ]);
  });

  test("takes a budget in two decimals, once there are prices", async ({ workspace }) => {
    const save = (budget: string, budgetCurrency = "USD") =>
      onRateCard(workspace, "saveBudget", { fields: { budget, budgetCurrency } });
    expect((await save("100")).said).toMatchObject({
      ok: false,
      issues: { budget: expect.stringContaining("rate card") },
    });
    await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01");
    for (const budget of ["-1", "0", "1,5", "1.234", "1e9", "much"])
      expect((await save(budget)).said, budget).toMatchObject({ ok: false, issues: { budget: expect.any(String) } });
    expect((await save("99.5")).said).toMatchObject({ ok: true });
    expect(await cardOf(workspace)).toMatchObject({ budget: "99.50", budgetCurrency: "USD" });
    await uploadCard(workspace, "BR,utility,0.02,USD,2026-01-01");
    expect(await cardOf(workspace)).toMatchObject({ budget: "99.50" });
    expect((await save("")).said).toMatchObject({ ok: true });
    expect(await cardOf(workspace)).toMatchObject({ budget: null, budgetCurrency: null });
  });

  test("has a budget in a currency of its own alone: a card without it removes the budget, and says so", async () => {
    const workspace = await provisionWorkspace();
    const save = (budgetCurrency: string) =>
      onRateCard(workspace, "saveBudget", { fields: { budget: "50", budgetCurrency } });
    await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01", "GB,utility,0.01,GBP,2026-01-01");
    expect((await save("EUR")).said).toMatchObject({
      ok: false,
      issues: { budgetCurrency: expect.stringMatching("EUR") },
    });
    expect((await save("GBP")).said).toMatchObject({ ok: true });
    expect((await uploadCard(workspace, "GB,utility,0.02,GBP,2026-01-01")).said).toMatchObject({
      value: { prices: 1, budgetRemoved: null },
    });
    expect(await cardOf(workspace)).toMatchObject({ budget: "50.00", budgetCurrency: "GBP" });
    expect((await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01")).said).toMatchObject({
      value: { prices: 1, budgetRemoved: "GBP" },
    });
    expect(await cardOf(workspace)).toMatchObject({ budget: null, budgetCurrency: null });
    const [, removed] = (await auditEntries(workspace.workspaceId)).filter(
      ({ action }) => action === "rateCard.budgetChanged",
    );
    expect(removed).toBeDefined();
  });

  test("is too large from the first character beyond its bound", async ({ workspace }) => {
    const { said } = await onRateCard(workspace, "uploadRateCard", {
      fields: { card: `${CARD_HEAD}\n${"x".repeat(250_000)}` },
    });
    expect(said).toMatchObject({ value: { faults: [{ row: 1, reason: expect.stringContaining("250,000") }] } });
  });

  test("is read from a file by the operator's command, which says what is wrong with one", async ({ workspace }) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "rate-card-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "card.csv");
    const runLines = async (...rows: string[]) => {
      writeFileSync(file, rows.join("\n"));
      return runCommand(RATE_CARD, ["--workspace", workspace.workspaceId, "--file", file]);
    };
    const run = (...rows: string[]) => runLines(CARD_HEAD, ...rows);
    const bad = await run("BR,utility,free,USD,2026-01-01");
    expect([bad.exitCode, bad.stdout]).toEqual([1, expect.stringContaining('The price \\"free\\" must be a number')]);
    const good = await run("BR,utility,0.01,USD,2026-01-01");
    expect([good.exitCode, JSON.parse(good.stdout)]).toEqual([0, { saved: 1 }]);
    expect(await cardOf(workspace)).toMatchObject({ lists: [{ prices: 1 }] });
    // As spreadsheets save "Unicode text".
    writeFileSync(
      file,
      `\uFEFF${[CARD_HEAD, "BR,utility,0.01,USD,2026-01-01", "DE,utility,0.05,EUR,2026-01-01"].join("\r\n")}`,
      "utf16le",
    );
    const wide = await runCommand(RATE_CARD, ["--workspace", workspace.workspaceId, "--file", file]);
    expect([wide.exitCode, JSON.parse(wide.stdout)]).toEqual([0, { saved: 2 }]);
    const published = await runLines(
      `"Cost per message in USD, effective October 1, 2026",,,`,
      "Market,Currency,Marketing,Utility",
      "Brazil,$US,0.0611,n/a",
      "North America,$US,0.0245,0.0033",
    );
    expect([published.exitCode, JSON.parse(published.stdout)]).toEqual([
      0,
      {
        saved: 5,
        leftOut: [
          { row: 1, given: "Cost per message in USD, effective October 1, 2026", reason: "A note above the table." },
        ],
      },
    ]);
    expect(await cardOf(workspace)).toMatchObject({
      rows: [{ row: 1, isRead: false }, { row: 3 }, { row: 4 }],
      lists: [
        { from: "2026-10-01", until: null, prices: 5, countries: 3, currencies: ["USD"] },
        { from: "2026-01-01", until: "2026-10-01", prices: 2, countries: 2, currencies: ["EUR", "USD"] },
      ],
    });
  });
});
