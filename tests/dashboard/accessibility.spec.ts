import type { Page } from "@playwright/test";
import { dashboardPages, PUBLIC_PAGES } from "../support/pages";
import { invitationInto } from "../support/people";
import { carouselRecord } from "../support/template-records";
import { graphError, postWebhook, provisionWorkspace, scriptPlatform, statusWebhook } from "../support/workspace";
import {
  accessibilityFaults,
  accessibilityFaultsInBothSchemes,
  expect,
  inParts,
  openSignedIn,
  overflowOf,
  RECIPIENT,
  shownOf,
  test,
} from "./dashboard-test";

const NARROWEST = 320;
const PARTS = 4;

// A walk is many pages, which took three minutes on a machine that was busy with others.
test.describe.configure({ timeout: 600_000 });

test("public pages pass axe in both schemes and fit 320 px", async ({ page, workspace, complaints }) => {
  for (const { path } of [...PUBLIC_PAGES, { path: "/no-such-page" }]) {
    await page.goto(path);
    await expectAccessible(page, complaints);
  }
  await page.goto(`/invite/${await invitationInto(workspace)}`);
  await expectAccessible(page, complaints);
});

for (let part = 0; part < PARTS; part++) {
  test(`the dashboard's pages pass axe in both schemes and fit 320 px, part ${part + 1} of ${PARTS}`, async ({
    page,
    signIn,
    workspace,
    complaints,
  }) => {
    await signIn("owner");
    const others = [
      "/dashboard/messages?status=FAILED&q=nobody&refresh=on",
      "/dashboard/messages/msg_none",
      "/dashboard/requests?status=4xx",
      "/dashboard/settings/webhooks?mode=test",
      "/workspaces/new",
      "/second-factor",
    ];
    const paths = [...dashboardPages(await shownOf(workspace)).map(({ path }) => path), ...others];
    for (const path of inParts(paths, PARTS)[part] ?? []) {
      await page.goto(path);
      await expectAccessible(page, complaints);
    }
  });
}

test("a raw webhook, a refusal with its trace id and the cards of a template pass axe in both schemes and fit 320 px", async ({
  page,
  signIn,
  workspace,
  complaints,
}) => {
  const send = () => workspace.send({ type: "text", phone: RECIPIENT, content: "Hi" });
  const { id, chatMessageId } = (await send()).body.data;
  await postWebhook(statusWebhook(workspace, [{ id: chatMessageId ?? "", status: "delivered" }]));
  await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(131026)]);
  const refused = (await send()).body.details.messageId;
  await signIn("admin", `/dashboard/messages/${id}`);
  await page.getByRole("button", { name: "Raw webhook of delivered", exact: true }).click();
  await expect(page.getByText('"status": "delivered"')).toBeVisible();
  await expectAccessible(page, complaints);
  await page.goto(`/dashboard/messages/${refused}`);
  await expect(page.getByText("fbtrace id", { exact: true })).toBeVisible();
  await expectAccessible(page, complaints);
  await page.context().clearCookies();
  const { owner, templates } = await provisionWorkspace({ mode: "test", templates: [carouselRecord(3)] });
  await openSignedIn(page, owner, `/dashboard/templates/${Object.values(templates)[0]}`);
  await expectAccessible(page, complaints);
});

test("the open drawer passes axe in both schemes, closes with Esc and gives the focus back; the first Tab skips to the content", async ({
  page,
  signIn,
}) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await signIn("owner");
  const button = page.getByRole("button", { name: "Menu" });
  await button.click();
  await expect(page.getByRole("link", { name: "Templates", exact: true })).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("link", { name: "Templates", exact: true })).toBeHidden();
  await expect(button).toBeFocused();
  await page.goto("/dashboard/messages");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the docs read as they are, in the scheme's own colour", async ({ page }) => {
    await page.goto("/docs/quickstart");
    await expect(page.getByRole("heading", { level: 1, name: "Quickstart" })).toBeVisible();
    await expect(page.getByText("/api/v1/public/messages/send").first()).toBeVisible();
    const menu = page.getByRole("navigation", { name: "Docs" });
    await expect(menu.getByRole("link", { name: "Quickstart" })).toHaveAttribute("aria-current", "page");
    for (const [colorScheme, background] of [
      ["light", "rgb(255, 255, 255)"],
      ["dark", "rgb(14, 17, 20)"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto("/");
      await expect(page.locator("body")).toHaveCSS("background-color", background);
    }
  });
});

/** The page that is open: wide in dark and narrow in light, because its colours depend on the scheme only. */
const expectAccessible = async (page: Page, complaints: string[]) => {
  for (const [colorScheme, width] of [
    ["dark", 1280],
    ["light", 375],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    expect.soft(await accessibilityFaults(page), `${page.url()} in ${colorScheme} at ${width} px`).toEqual([]);
  }
  await page.setViewportSize({ width: NARROWEST, height: 800 });
  const overflow = await overflowOf(page);
  expect.soft(overflow, `${page.url()} at ${NARROWEST} px`).toBeLessThanOrEqual(0);
  // The browser reports the 404 of a page that is meant to be one.
  const isMeant = (complaint: string) => complaint.includes("a status of 404") && complaint.endsWith(`(${page.url()})`);
  expect.soft(complaints.splice(0).filter((complaint) => !isMeant(complaint))).toEqual([]);
};
