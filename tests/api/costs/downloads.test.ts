import { describe, expect } from "vitest";
import { daysBetween } from "@/lib/core/local-time";
import { provenWorkspaceId } from "@/lib/core/principal";
import { addUp } from "@/lib/costs/money";
import { listCosts } from "@/lib/costs/queries";
import { newPhone, sendPriced, uploadCard } from "../../support/priced-messages";
import { sql } from "../../support/rows";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import type { Sign, TestWorkspace } from "../../support/workspace";

const today = () => new Date().toISOString().slice(0, 10);

/** The rows of a file; no value of these tests holds a comma or a quote. */
const fileOf = async ({ workspaceId }: TestWorkspace, as: Sign, path: string) => {
  const { status, text } = await readAs(as, `/api/v1/workspaces/${workspaceId}/${path}`);
  expect(status, text).toBe(200);
  const [heading = "", ...lines] = text.trim().split("\r\n");
  const names = heading.split(",");
  return lines.map(
    (line): Record<string, string> => Object.fromEntries(line.split(",").map((cell, at) => [names[at], cell])),
  );
};

describe("the messages' file", () => {
  test("has what each was charged for and its price, of which the sum is the estimate to the last digit", async ({
    workspace,
  }) => {
    const workspaceId = provenWorkspaceId(workspace.workspaceId);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    await uploadCard(
      workspace,
      "BR,utility,0.00683,USD,2026-01-01",
      `BR,utility,0.012,USD,${today()}`,
      "IN,marketing,1.25,INR,2026-01-01",
      "BR,authentication-international,0.7,USD,2026-01-01",
    );
    const priced = (to: string, category: string, more: object = {}) =>
      sendPriced(workspace, { to, category, ...more });
    const ids = {
      today: await priced(newPhone(), "utility"),
      yesterday: await priced(newPhone(), "utility", { at: yesterday, status: "read" }),
      rupees: await priced(newPhone("IN"), "marketing"),
      spelled: await priced(newPhone(), "authentication-international"),
      unpriced: await priced(newPhone("GB"), "utility"),
      undelivered: await priced(newPhone(), "utility", { status: "sent" }),
      free: await priced(newPhone(), "service", { billable: false }),
    };
    await sql`
      update messages set pricing_category = 'authentication-international'
      where workspace_id = ${workspaceId} and id = ${ids.spelled}`;
    await sweep();
    const rows = await fileOf(workspace, workspace.owner, "messages/export?mode=live");
    const chargeOf = (id: string) => {
      const { country, category, price, currency } = rows.find(({ message_id }) => message_id === id) ?? {};
      return [country, category, price, currency];
    };
    expect(Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, chargeOf(id)]))).toEqual({
      today: ["BR", "utility", "0.0120", "USD"],
      yesterday: ["BR", "utility", "0.00683", "USD"],
      rupees: ["IN", "marketing", "1.25", "INR"],
      spelled: ["BR", "authentication_international", "0.70", "USD"],
      unpriced: ["GB", "utility", "", ""],
      undelivered: ["BR", "utility", "", ""],
      free: ["BR", "service", "0", ""],
    });
    const days = daysBetween(yesterday.slice(0, 10), today(), "UTC");
    const { total } = await listCosts(workspaceId, { mode: "live", by: "day", days });
    const sumOf = (given: string) =>
      addUp(rows.flatMap(({ price = "", currency }) => (currency === given ? [price] : [])));
    expect(total.costs).toEqual(["INR", "USD"].map((currency) => ({ currency, amount: sumOf(currency) })));
  });
});

describe("the file of a table", () => {
  const fileOfTable = (workspace: TestWorkspace, as: Sign, query: Record<string, string>) =>
    fileOf(workspace, as, `costs?${new URLSearchParams({ mode: "live", range: "7d", ...query })}`);

  test("has the rows of the page and their sums to the last digit, whatever it is by", async ({ workspace }) => {
    await uploadCard(
      workspace,
      "BR,utility,0.00683,USD,2026-01-01",
      "IN,marketing,1.25,INR,2026-01-01",
      "DE,utility,0.05,USD,2026-01-01",
    );
    for (let i = 0; i < 3; i++) await sendPriced(workspace, { to: newPhone(), category: "utility" });
    await sendPriced(workspace, { to: newPhone("IN"), category: "marketing" });
    await sendPriced(workspace, { to: newPhone("GB"), category: "utility" });
    await sendPriced(workspace, { to: newPhone("GB"), category: "service", billable: false });
    await sendPriced(workspace, { to: newPhone(), category: "utility", status: "sent" });
    await sweep();
    const rows = await fileOfTable(workspace, workspace.owner, { by: "country" });
    const row = (country: string, USD: string, INR: string, counts: number[]) => {
      const [billable, without_price, free, not_delivered, messages] = counts.map(String);
      return { country, USD, INR, billable, without_price, free, not_delivered, messages };
    };
    expect(rows.map(({ messages, ...rest }) => ({ ...rest, messages }))).toEqual([
      row("Brazil", "0.02049", "", [3, 0, 0, 1, 4]),
      row("India", "", "1.25", [1, 0, 0, 0, 1]),
      row("United Kingdom", "", "", [1, 1, 1, 0, 2]),
      row("Total", "0.02049", "1.25", [5, 1, 1, 1, 7]),
    ]);
    for (const by of ["category", "line", "template", "key", "time"]) {
      const others = await fileOfTable(workspace, workspace.owner, { by });
      const { [by]: name, ...sum } = others.at(-1) ?? {};
      expect([name, sum], by).toEqual([
        "Total",
        {
          USD: "0.02049",
          INR: "1.25",
          billable: "5",
          without_price: "1",
          free: "1",
          not_delivered: "1",
          messages: "7",
        },
      ]);
      expect(addUp(others.slice(0, -1).map(({ USD }) => USD || "0")), by).toBe("0.02049");
    }
  });

  test("is one for spreadsheets with a decimal comma, runs no formula, and has keys only for those who may see them", async ({
    workspace,
  }) => {
    await sql`update phone_numbers set label = '=cmd()' where workspace_id = ${workspace.workspaceId}`;
    await uploadCard(workspace, "BR,utility,1.5,USD,2026-01-01");
    await sendPriced(workspace, { to: newPhone(), category: "utility" });
    await sweep();
    const path = `/api/v1/workspaces/${workspace.workspaceId}/costs?mode=live&range=7d`;
    const { text } = await readAs(workspace.owner, `${path}&by=line&decimal=comma`);
    expect(text.replace("\uFEFF", "").split("\r\n").slice(0, 2)).toEqual([
      "line;USD;billable;without_price;free;not_delivered;messages",
      `'=cmd();"1,50";1;0;0;0;1`,
    ]);
    expect((await readAs(workspace.owner, `${path}&by=key`)).text).toMatch(/^key,/);
    expect((await readAs(workspace.member, `${path}&by=key`)).status).toBe(403);
    const names = await Promise.all(
      ["", "&decimal=comma"].map(async (form) => {
        const { headers } = await readAs(workspace.member, `${path}&by=line${form}`);
        return headers.get("content-disposition")?.match(/by-line.*(?=")/)?.[0];
      }),
    );
    expect(names).toEqual(["by-line.csv", "by-line-decimal-comma.csv"]);
    expect(await fileOfTable(workspace, workspace.owner, { mode: "test" })).toMatchObject([
      { country: "Total", messages: "0" },
    ]);
  });
});
