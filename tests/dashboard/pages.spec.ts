import { rollUpAll } from "../support/roll-up";
import { sql } from "../support/rows";
import { expect, RECIPIENT, test } from "./dashboard-test";

const MAX_MS = 30_000;

test.describe("pages of a workspace", () => {
  test("the overview counts the month against the plan and shows the latest messages", async ({ page, signIn }) => {
    await signIn("owner");
    await expect(page.getByText("2 of 1,000")).toBeVisible();
    await expect(page.getByRole("table", { name: /Latest messages/ }).getByRole("rowheader")).toHaveCount(2);
  });

  test("the typeface is one file that is fetched ahead, and nothing moves when it comes", async ({ page, signIn }) => {
    const fonts: string[] = [];
    page.on("request", (request) => (request.resourceType() === "font" ? fonts.push(request.url()) : undefined));
    // Late enough for the text to be painted in the fallback first.
    await page.route("**/*.woff2", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    await signIn("owner", "/dashboard/messages");
    await expect(page.locator('link[rel="preload"][as="font"]')).toHaveCount(1);
    await page.evaluate(() => document.fonts.ready);
    expect(await page.evaluate(() => document.fonts.check("500 15px geist"))).toBe(true);
    expect(new Set(fonts).size).toBe(1);
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
          }).observe({ type: "layout-shift", buffered: true });
          setTimeout(() => resolve(sum), 300);
        }),
    );
    expect(shift).toBeLessThan(0.01);
  });

  test("the values of a bar are shown to the pointer and to the keyboard, without a script", async ({
    page,
    browser,
    signIn,
    workspace,
  }) => {
    await signIn("owner");
    await rollUpAll(sql, { workspaceId: workspace.workspaceId, messages: 2 });
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

  test("the audit log has twenty entries on a screen of a phone, each a sentence that opens to its values", async ({
    page,
    signIn,
    workspace,
  }) => {
    await sql`
        insert into audit_log (workspace_id, id, actor_kind, actor_id, action, target_kind, target_id, before, after)
        select ${workspace.workspaceId}, 'aud_' || n, 'user', u.id, 'phoneNumber.changed', 'phoneNumber',
          ${workspace.phoneNumberId}, '{"label":"Main"}', '{"label":"The line of the whole customer service"}'
        from generate_series(1, 30) n, users u where u.email = ${workspace.owner.email}`;
    await page.setViewportSize({ width: 375, height: 812 });
    await signIn("owner", "/dashboard/settings/audit-log");
    const entries = page.getByRole("main").getByRole("listitem");
    const [first, twentieth] = [await entries.nth(0).boundingBox(), await entries.nth(19).boundingBox()];
    const header = (await page.getByRole("banner").boundingBox())?.height ?? 0;
    expect((twentieth?.y ?? 9_999) + (twentieth?.height ?? 0) - (first?.y ?? 0)).toBeLessThan(812 - header);
    await expect(entries.first()).toContainText(
      "Olga Owner renamed line Main to The line of the whole customer service",
    );
    await expect(entries.first().getByText(workspace.phoneNumberId)).toBeHidden();
    await entries.first().locator("summary").click();
    await expect(entries.first().getByRole("link", { name: workspace.phoneNumberId })).toBeVisible();
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
