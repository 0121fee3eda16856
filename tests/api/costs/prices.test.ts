import { describe, expect } from "vitest";
import { daysBetween } from "@/lib/core/local-time";
import { provenWorkspaceId } from "@/lib/core/principal";
import { findRateCard, listCosts } from "@/lib/costs/queries";
import { newPhone, onRateCard, sendPriced, uploadCard } from "../../support/priced-messages";
import { auditEntries, sql } from "../../support/rows";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import type { TestWorkspace } from "../../support/workspace";

const PRICE = { country: "GB", category: "utility", price: "0,0365", currency: "usd", validFrom: "2026-01-01" };
const add = (workspace: TestWorkspace, price: Partial<typeof PRICE> = {}) =>
  onRateCard(workspace, "savePrice", { fields: { ...PRICE, ...price } });
const stored = async ({ workspaceId }: TestWorkspace) => {
  const rows = await sql`
    select country, trim_scale(price)::text as price, currency, valid_from::text as from, valid_until::text as until from rates
    where workspace_id = ${workspaceId} order by country, valid_from`;
  return rows.map((row) => Object.values(row));
};

describe("a price that is added", () => {
  test("is that of messages without one from its day on, and leaves all others as they are", async ({
    workspace,
    other,
  }) => {
    await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01");
    await sendPriced(workspace, { to: newPhone("GB"), category: "utility" });
    await sendPriced(workspace, { to: newPhone(), category: "utility" });
    await sweep();
    expect((await add(workspace)).said).toMatchObject({ ok: true });
    const today = new Date().toISOString().slice(0, 10);
    const scope = { mode: "live", by: "day", days: daysBetween(today, today, "UTC") } as const;
    const { total } = await listCosts(provenWorkspaceId(workspace.workspaceId), scope);
    expect(total).toMatchObject({ costs: [{ currency: "USD", amount: "0.0465" }], unpriced: 0 });
    expect(await stored(other)).toEqual([]);
    const entries = await auditEntries(workspace.workspaceId);
    expect(entries.map(({ action }) => action)).toContain("rateCard.priceAdded");
  });

  test("ends the one before it, ends with the next, and replaces the one of its day, also without a list", async ({
    workspace,
  }) => {
    await add(workspace);
    await add(workspace, { price: "0.09", validFrom: "2026-09-01" });
    await add(workspace, { price: "0.05", validFrom: "2026-05-01" });
    await add(workspace, { price: "0.06", validFrom: "2026-05-01", currency: "eur" });
    await add(workspace, { country: "*", price: "1" });
    expect(await stored(workspace)).toEqual([
      ["*", "1", "USD", "2026-01-01", null],
      ["GB", "0.0365", "USD", "2026-01-01", "2026-05-01"],
      ["GB", "0.06", "EUR", "2026-05-01", "2026-09-01"],
      ["GB", "0.09", "USD", "2026-09-01", null],
    ]);
  });

  test("is refused with a fault, which names its field", async ({ workspace }) => {
    const faults = { country: "ZZ", category: "Utility!", price: "1,234.5", currency: "XQQ", validFrom: "2026-02-30" };
    for (const [field, value] of Object.entries(faults))
      expect((await add(workspace, { [field]: value })).said, field).toMatchObject({
        ok: false,
        issues: { [field]: expect.any(String) },
      });
    expect(await stored(workspace)).toEqual([]);
  });
});

test("a list says what it changed of the one before, also of the same day", async ({ workspace }) => {
  const changes = async () => (await findRateCard(provenWorkspaceId(workspace.workspaceId)))?.changes;
  await uploadCard(workspace, "BR,utility,0.01,USD,2026-01-01", "Rest of Western Europe,utility,0.02,USD,2026-01-01");
  expect(await changes()).toBeNull();
  for (const [day, price] of [
    ["2026-10-01", "0.03"],
    ["2026-10-01", "0.04"],
  ]) {
    const before = await changes();
    await uploadCard(workspace, `BR,utility,0.01,USD,${day}`, `Rest of Western Europe,utility,${price},USD,${day}`);
    expect(await changes()).toEqual({
      shown: [
        {
          market: "Rest of Western Europe",
          category: "utility",
          from: day,
          before: { amount: before ? "0.03" : "0.02", currency: "USD" },
          after: { amount: price, currency: "USD" },
        },
      ],
      changed: 1,
      same: 1,
    });
  }
});
