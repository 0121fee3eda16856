import { rollUpAll } from "../support/roll-up";
import { onRows } from "../support/rows";
import { expect, RECIPIENT, test } from "./dashboard-test";

const MAX_MS = 30_000;

test.describe("pages of a workspace", () => {
  test("the overview counts the month against the plan and shows the latest messages", async ({ page, signIn }) => {
    await signIn("owner");
    await expect(page.getByText("2 of 1,000")).toBeVisible();
    await expect(page.getByRole("table", { name: /Latest messages/ }).getByRole("rowheader")).toHaveCount(2);
  });

  test("the values of a bar are shown to the pointer and to the keyboard, without a script", async ({
    page,
    browser,
    signIn,
    workspace,
  }) => {
    await signIn("owner");
    await onRows((sql) => rollUpAll(sql, { workspaceId: workspace.workspaceId, messages: 2 }));
    const plain = await browser.newContext({ javaScriptEnabled: false, baseURL: workspace.baseUrl });
    await plain.addCookies(await page.context().cookies());
    const still = await plain.newPage();
    await still.goto("/dashboard?range=7d");
    const chart = still.getByRole("group", { name: /values, by the arrow keys/ });
    await expect(chart.getByRole("radio")).toHaveCount(7);
    const today = chart.getByRole("radio").last();
    await expect(today).toHaveAccessibleName(/: Sent 2$/);
    await today.focus();
    await still.keyboard.press("ArrowLeft");
    await expect(chart.getByText("No messages").locator("visible=true")).toHaveCount(1);
    await still.keyboard.press("ArrowRight");
    await expect(chart.getByText("Sent").locator("visible=true")).toHaveCount(1);
    await chart.locator("label").first().hover();
    await expect(chart.getByText("No messages").locator("visible=true")).toHaveCount(1);
    await plain.close();
  });

  test("a line shows our id with a Copy button, and WhatsApp's id as not accepted", async ({
    page,
    context,
    signIn,
    workspace,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signIn("member", `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    await page.getByText("All details").click();
    await expect(page.getByText("not accepted by this API")).toBeVisible();
    await page.getByRole("button", { name: "Copy line id" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Copied" })).toBeAttached();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(workspace.phoneNumberId);
  });

  test("where the clipboard refuses, the id is selected and nothing claims to be copied", async ({
    page,
    signIn,
    workspace,
  }) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => false;
    });
    await signIn("member", `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
    await page.getByText("All details").click();
    await page.getByRole("button", { name: "Copy line id" }).click();
    await expect(page.getByText("Press Ctrl+C", { exact: true })).toBeVisible();
    expect(await page.evaluate(() => String(getSelection()))).toBe(workspace.phoneNumberId);
  });

  test("a page that reads itself again keeps its title, on a slow machine, too", async ({
    page,
    signIn,
    workspace,
  }) => {
    const { id } = (await workspace.send({ type: "text", phone: RECIPIENT, content: "Hello" })).body.data;
    await signIn("owner", `/dashboard/messages/${id}`);
    const slow = await page.context().newCDPSession(page);
    await slow.send("Emulation.setCPUThrottlingRate", { rate: 10 });
    const { titles, reads } = await page.evaluate(async (mostMs) => {
      const seen = new Set<string>();
      const endedReads = () =>
        performance.getEntriesByType("resource").filter(({ name }) => name.includes("_rsc=")).length;
      const before = endedReads();
      for (const startedAtMs = performance.now(); performance.now() - startedAtMs < mostMs; ) {
        seen.add(document.title);
        if (endedReads() - before > 4) break;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return { titles: [...seen], reads: endedReads() - before };
    }, MAX_MS);
    expect(titles).toEqual([expect.stringContaining(`Message ${id} · Messages`)]);
    expect(reads).toBeGreaterThan(4);
  });
});
