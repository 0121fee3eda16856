import { provisionWorkspace } from "../support/workspace";
import { expect, RECIPIENT, test } from "./dashboard-test";

const MOST_MS = 30_000;

test.describe("pages of a workspace", () => {
  test("the overview counts the month against the plan and shows the latest messages", async ({ page, signIn }) => {
    await signIn("owner");
    await expect(page.getByText("2 of 1,000")).toBeVisible();
    await expect(page.getByRole("table", { name: /Latest messages/ }).getByRole("row")).toHaveCount(3);
  });

  test("a message leads from the log to its timeline", async ({ page, signIn }) => {
    await signIn("owner");
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Messages" }).click();
    await expect(page.getByRole("cell", { name: `+${RECIPIENT}` })).toHaveCount(2);
    await page.getByRole("rowheader").first().getByRole("link").click();
    await expect(page).toHaveURL(/\/dashboard\/messages\/msg_/);
    await expect(page.getByText("Received by the API")).toBeVisible();
    await expect(page.getByText("Accepted by WhatsApp")).toBeVisible();
  });

  test("a line shows our id with a Copy button, and WhatsApp's id as not accepted", async ({
    page,
    context,
    signIn,
    workspace,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signIn("member", `/dashboard/phone-numbers/${workspace.phoneNumberId}`);
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
    await page.getByRole("button", { name: "Copy line id" }).click();
    await expect(page.getByText("Press Ctrl+C", { exact: true })).toBeVisible();
    expect(await page.evaluate(() => String(getSelection()))).toBe(workspace.phoneNumberId);
  });

  test("templates show their status, the API's own words in plain letters", async ({ page, signIn }) => {
    await signIn("member", "/dashboard/templates");
    await expect(page.getByRole("row", { name: /order_ready.*Approved/ })).toBeVisible();
    await expect(page.getByRole("row", { name: /spring_sale.*Rejected/ })).toBeVisible();
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
    }, MOST_MS);
    expect(titles).toEqual([expect.stringContaining(`Message ${id} · Messages`)]);
    expect(reads).toBeGreaterThan(4);
  });

  test("another workspace's message and line are not found, like ids that no one has", async ({ page, signIn }) => {
    const other = await provisionWorkspace();
    const sent = await other.send({ type: "text", phone: RECIPIENT, content: "Hello" });
    await signIn("owner");
    for (const path of [
      `messages/${sent.body.data.id}`,
      `phone-numbers/${other.phoneNumberId}`,
      "messages/msg_none",
      "phone-numbers/pn_none",
    ]) {
      const response = await page.goto(`/dashboard/${path}`);
      expect(response?.status(), path).toBe(404);
      await expect(page.getByRole("heading", { level: 1, name: "There is nothing at this address" })).toBeVisible();
    }
  });
});

test.describe("roles", () => {
  test("owners and admins see the keys, by id and never by secret", async ({ page, signIn, workspace }) => {
    await signIn("admin");
    await page.getByRole("link", { name: "API keys" }).click();
    await expect(page.getByText(`pk_live_…${workspace.apiKey.slice(-4)}`)).toBeVisible();
    expect(await page.content()).not.toContain(workspace.apiSecret);
  });

  test("for members the keys do not exist, and recipients are masked", async ({ page, signIn }) => {
    await signIn("member");
    await expect(page.getByRole("link", { name: "API keys" })).toHaveCount(0);
    const response = await page.goto("/dashboard/settings/api-keys");
    expect(response?.status()).toBe(404);
    await page.goto("/dashboard/messages");
    await expect(page.getByText("44770•••0123").first()).toBeVisible();
    expect(await page.content()).not.toContain(RECIPIENT);
  });
});

test.describe("public pages", () => {
  test("the docs fill in this deployment's own address", async ({ page, baseURL }) => {
    await page.goto("/docs/quickstart");
    await expect(page.getByText(`curl -X POST "${baseURL}/api/v1/public/messages/send"`).first()).toBeVisible();
  });

  test("an unknown error code is not found", async ({ page }) => {
    expect((await page.goto("/docs/errors/NO_SUCH_CODE"))?.status()).toBe(404);
  });
});
