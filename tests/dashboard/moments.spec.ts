import { expect, test } from "./dashboard-test";

test("a moment under the focus shows its four readings, and each is copied as shown", async ({
  page,
  context,
  signIn,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn("member", "/dashboard/messages");
  await page.getByRole("rowheader").first().getByRole("link").click();
  const moment = page.getByRole("region", { name: "Timeline" }).locator("time").first();
  const at = new Date((await moment.getAttribute("datetime")) ?? "");
  await moment.focus();
  for (const name of ["Yours", "Workspace", "UTC", "Epoch"]) {
    const reading = page.locator("p[data-copyable]", { has: page.getByText(name, { exact: true }) });
    const shown = await reading.locator("code").innerText();
    if (name === "UTC") expect(shown).toBe(at.toISOString());
    if (name === "Epoch") expect(shown).toBe(String(at.getTime()));
    await reading.getByRole("button").click();
    await expect(reading.getByRole("status")).toHaveText("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
  }
  await page.keyboard.press("Escape");
  await expect(page.getByText("Epoch", { exact: true })).toHaveCount(0);
});

test("at the lower edge of a window a moment's readings are above it, not cut off", async ({ page, signIn }) => {
  await signIn("owner", "/dashboard/settings/plan");
  const moment = page.locator("time[data-moment]").last();
  const bottom = await moment.evaluate((element) => element.getBoundingClientRect().bottom);
  await page.setViewportSize({ width: 1280, height: Math.ceil(bottom) + 20 });
  await moment.hover();
  await expect(page.getByText("Epoch", { exact: true })).toBeInViewport({ ratio: 1 });
  await expect(moment).toBeInViewport({ ratio: 1 });
});

test("a browser in another zone reads the same times", async ({ browser, page, signIn }) => {
  await signIn("member", "/dashboard/messages");
  const storageState = await page.context().storageState();
  const timesIn = async (timezoneId: string) => {
    const context = await browser.newContext({ timezoneId, storageState });
    const elsewhere = await context.newPage();
    await elsewhere.goto(page.url());
    await expect(elsewhere.getByRole("rowheader")).toHaveCount(2);
    const times = await elsewhere.getByRole("table").locator("time").allInnerTexts();
    await context.close();
    return times;
  };
  const east = await timesIn("Pacific/Kiritimati");
  expect(east).toHaveLength(2);
  expect(await timesIn("Pacific/Pago_Pago")).toEqual(east);
});
