import { describe, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { listReported } from "@/lib/costs/queries";
import { newPhone, sendPriced } from "../../support/priced-messages";
import { onRows, sql } from "../../support/rows";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import {
  graphError,
  platformRequests,
  provisionWorkspace,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

const DAY_MS = 86_400_000;
const EDGE = "pricing_analytics";
const daysAgo = (days: number) => Math.floor(Date.now() / DAY_MS - days) * 86_400;

/** As if the account's day had come. */
const letDay = async ({ workspaceId }: TestWorkspace) => {
  expect((await sweep()).status).toBe(200);
  await sql`update cost_reads set not_before = now() - interval '1 second' where workspace_id = ${workspaceId}`;
};
const reads = async ({ workspaceId }: TestWorkspace) =>
  sql`
      select read_at is not null as "isRead", last_error as "lastError",
        not_before > now() + interval '23 hours' as "isADayAway" from cost_reads where workspace_id = ${workspaceId}`;
const calls = ({ whatsappBusinessAccountId }: TestWorkspace) => platformRequests(whatsappBusinessAccountId, EDGE);
const report = (workspace: TestWorkspace) =>
  onRows(() => listReported(provenWorkspaceId(workspace.workspaceId), "UTC"));
const pageOf = async ({ workspaceId, member }: TestWorkspace) =>
  (await readAs(member, `/dashboard/usage/costs?mode=live&workspace=${workspaceId}`)).text;

describe("WhatsApp's own count", () => {
  test("is asked for once a day for each account, and shown with its difference to ours", async () => {
    const workspace = await provisionWorkspace();
    const yesterday = new Date(Date.now() - DAY_MS).toISOString();
    for (let i = 0; i < 3; i++) await sendPriced(workspace, { to: newPhone(), category: "utility", at: yesterday });
    await sweep();
    expect(await calls(workspace)).toEqual([]);
    expect(await pageOf(workspace)).not.toContain("own count");
    await letDay(workspace);
    const point = {
      start: daysAgo(1),
      end: daysAgo(0),
      country: "BR",
      pricing_type: "REGULAR",
      pricing_category: "UTILITY",
    };
    const data_points = [
      { ...point, tier: "0:1000", volume: 4, cost: 0.0123 },
      { ...point, tier: "1001:", volume: 1, cost: 0.001 },
      { ...point, pricing_type: "FREE_CUSTOMER_SERVICE", volume: 2, cost: 0 },
      { ...point, start: daysAgo(2), end: daysAgo(1), pricing_category: "MARKETING", volume: 90, cost: 1 },
      { start: "soon", volume: -1 },
      "nothing",
    ];
    await scriptPlatform(workspace.whatsappBusinessAccountId, EDGE, [
      { json: { currency: "EUR", pricing_analytics: { data: [{ data_points }] }, id: "1" } },
    ]);
    await Promise.all([sweep(), sweep()]);
    await expect.poll(() => reads(workspace)).toMatchObject([{ isRead: true, lastError: null, isADayAway: true }]);
    await sweep();
    const asked = await calls(workspace);
    expect(asked).toHaveLength(1);
    const fields = new URL(`http://x${asked[0]?.path}`).searchParams.get("fields");
    expect(fields).toBe(
      `currency,pricing_analytics.start(${daysAgo(30)}).end(${daysAgo(0)}).granularity(DAILY).dimensions(["PRICING_CATEGORY","PRICING_TYPE","COUNTRY"])`,
    );
    expect(await report(workspace)).toMatchObject([
      { volume: 7, cost: "0.0133", currency: "EUR", counted: 3, from: yesterday.slice(0, 10), lastError: null },
    ]);
    const text = await pageOf(workspace);
    expect(text).toContain("WhatsApp’s own count");
    expect(text).toContain("+4");
    expect(text).toContain("0.0133 EUR");
    const rows = await sql`
        select country, category, type, volume from reported_days
        where workspace_id = ${workspace.workspaceId} and category = 'utility' order by type`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { country: "BR", category: "utility", type: "free_customer_service", volume: 2 },
      { country: "BR", category: "utility", type: "regular", volume: 5 },
    ]);
  });

  test("that is refused is said to be, is not asked for again before the next day, and keeps what was read", async () => {
    const workspace = await provisionWorkspace();
    await letDay(workspace);
    await sweep();
    await expect.poll(() => reads(workspace)).toMatchObject([{ isRead: true, lastError: null }]);
    await letDay(workspace);
    await scriptPlatform(workspace.whatsappBusinessAccountId, EDGE, [
      graphError(200, "No permission for 447700900123"),
    ]);
    await sweep();
    await expect.poll(() => reads(workspace)).toMatchObject([{ isRead: true, lastError: expect.any(String) }]);
    for (let pass = 0; pass < 3; pass++) await sweep();
    expect(await calls(workspace)).toHaveLength(2);
    const [row] = await reads(workspace);
    expect(row).toMatchObject({
      isADayAway: true,
      lastError: expect.stringContaining("No permission for 44770•••0123"),
    });
    const text = await pageOf(workspace);
    expect(text).toContain("No permission");
    expect(text).not.toContain("447700900123");
    await letDay(workspace);
    await sweep();
    await expect.poll(() => reads(workspace)).toMatchObject([{ isRead: true, lastError: null }]);
  });

  test("of a platform that hangs holds up neither the sweeper nor another account", async () => {
    const [hung, other] = [await provisionWorkspace(), await provisionWorkspace()];
    await scriptPlatform(hung.whatsappBusinessAccountId, EDGE, [{ delayMs: 15_000 }]);
    for (const workspace of [hung, other]) await letDay(workspace);
    const beganAtMs = performance.now();
    expect((await sweep()).status).toBe(200);
    expect(performance.now() - beganAtMs).toBeLessThan(9_000);
    await expect.poll(() => reads(other), { timeout: 9_000 }).toMatchObject([{ isRead: true }]);
    await expect
      .poll(() => reads(hung))
      .toMatchObject([{ isRead: false, lastError: expect.stringContaining("10000 ms"), isADayAway: true }]);
  });

  test("is not asked for with a token that WhatsApp refuses, nor of a line that is disconnected or in test mode", async () => {
    const [refused, gone, test] = [
      await provisionWorkspace(),
      await provisionWorkspace(),
      await provisionWorkspace({ mode: "test" }),
    ];
    expect((await sweep()).status).toBe(200);
    await onRows(async (sql) => {
      await sql`update phone_numbers set token_problem = 'expired' where workspace_id = ${refused.workspaceId}`;
      await sql`update phone_numbers set disconnected_at = now() where workspace_id = ${gone.workspaceId}`;
    });
    for (const workspace of [refused, gone, test]) await letDay(workspace);
    for (let pass = 0; pass < 2; pass++) await sweep();
    expect([...(await calls(refused)), ...(await calls(gone))]).toEqual([]);
    expect(await reads(test)).toEqual([]);
  });
});
