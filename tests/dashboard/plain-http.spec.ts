import { expect, test } from "./dashboard-test";

/** Nobody's, for documentation. */
const ADDRESS = "192.0.2.7";

test("where the browser has no clipboard, as on http://IP, Copy copies all the same", async ({
  playwright,
  launchOptions,
  baseURL,
}) => {
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    args: [...(launchOptions.args ?? []), `--host-resolver-rules=MAP ${ADDRESS} 127.0.0.1`],
  });
  try {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await page.goto(`${baseURL?.replace("localhost", ADDRESS)}/docs/quickstart`);
    expect(await page.evaluate(() => [isSecureContext, "clipboard" in navigator])).toEqual([false, false]);
    const figure = page.locator("[data-copyable]", { has: page.locator("code") }).first();
    const copy = figure.getByRole("button", { name: /^Copy/ });
    await copy.click();
    await expect(copy).toContainText("Copied");

    const local = await context.newPage();
    await local.goto(`${baseURL}/sign-in`);
    expect(await local.evaluate(() => navigator.clipboard.readText())).toBe(await figure.locator("code").innerText());
  } finally {
    await browser.close();
  }
});
