import { describe, expect, test } from "vitest";
import { daysBetween } from "@/lib/core/local-time";
import { provenWorkspaceId } from "@/lib/core/principal";
import { addUp } from "@/lib/costs/money";
import { listCosts } from "@/lib/costs/queries";
import { newPhone, sendPriced, uploadCard } from "../../support/priced-messages";
import { onRows, sql } from "../../support/rows";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import { provisionWorkspace, type Sign, type TestWorkspace } from "../../support/workspace";

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
  test("has what each was charged for and its price, of which the sum is the estimate to the last digit", async () => {
    const workspace = await provisionWorkspace();
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
    const scope = { mode: "live", days: daysBetween(yesterday.slice(0, 10), today(), "UTC") } as const;
    const [total] = await onRows(() => listCosts(workspaceId, scope, "total"));
    const sumOf = (given: string) =>
      addUp(rows.flatMap(({ price = "", currency }) => (currency === given ? [price] : [])));
    expect(total?.costs).toEqual(["INR", "USD"].map((currency) => ({ currency, amount: sumOf(currency) })));
  });
});
