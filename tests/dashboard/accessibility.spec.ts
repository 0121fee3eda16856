import type { Page } from "@playwright/test";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { endpointWithDelivery } from "../support/endpoint-rows";
import { invitationInto } from "../support/people";
import { requestRows } from "../support/request-rows";
import { carouselRecord } from "../support/template-records";
import { graphError, postWebhook, provisionWorkspace, scriptPlatform, statusWebhook } from "../support/workspace";
import {
  accessibilityFaults,
  accessibilityFaultsInBothSchemes,
  expect,
  inAnyMode,
  openSignedIn,
  test,
} from "./dashboard-test";

const NARROWEST = 320;

const PUBLIC_PATHS = [
  "/",
  "/sign-in",
  "/docs",
  "/docs/errors",
  "/docs/errors/CHAT_GRAPH_ERROR",
  "/docs/errors/platform/131026",
  "/docs/polling",
  "/docs/quickstart",
  "/docs/reference",
  "/docs/templates",
  "/docs/testing",
  "/docs/operator/webhooks",
  "/docs/changelog",
  "/no-such-page",
];

const DASHBOARD_PATHS = [
  "/dashboard",
  "/dashboard/messages",
  "/dashboard/messages?status=FAILED&q=nobody&refresh=on",
  "/dashboard/send",
  "/dashboard/contacts",
  "/dashboard/contacts/import",
  "/dashboard/requests",
  "/dashboard/requests?status=4xx",
  "/dashboard/phone-numbers",
  "/dashboard/phone-numbers/new",
  "/dashboard/webhooks",
  "/dashboard/get-started",
  "/dashboard/templates",
  "/dashboard/templates/new",
  "/dashboard/settings/api-keys",
  "/dashboard/settings/webhooks",
  "/dashboard/settings",
  "/dashboard/settings/members",
  "/dashboard/account",
  "/workspaces/new",
  "/dashboard/messages/msg_none",
  "/dashboard/settings/audit-log",
  "/dashboard/settings/plan",
  "/dashboard/usage",
];

for (const path of PUBLIC_PATHS) {
  test(`${path} passes axe in both schemes and fits 320 px`, async ({ page, complaints }) => {
    await page.goto(path);
    await expectAccessible(page);
    expect(unexpected(complaints, page)).toEqual([]);
  });
}

for (const path of DASHBOARD_PATHS) {
  test(`${path} passes axe in both schemes and fits 320 px`, async ({ page, signIn, complaints }) => {
    await signIn("owner", path);
    await expectAccessible(page);
    expect(unexpected(complaints, page)).toEqual([]);
  });
}

test("a message's and a line's own page pass axe in both schemes and fit 320 px", async ({
  page,
  signIn,
  workspace,
  complaints,
}) => {
  await signIn("owner", "/dashboard/messages");
  const message = await page.getByRole("rowheader").first().getByRole("link").getAttribute("href");
  for (const path of [message ?? "", `/dashboard/phone-numbers/${workspace.phoneNumberId}`]) {
    await page.goto(path);
    await expectAccessible(page);
  }
  expect(unexpected(complaints, page)).toEqual([]);
});

test("a message's page with a raw webhook and a refusal's with its trace id pass axe in both schemes and fit 320 px", async ({
  page,
  signIn,
  workspace,
  complaints,
}) => {
  const send = () => workspace.send({ type: "text", phone: "447700900777", content: "Hi" });
  const { id, chatMessageId } = (await send()).body.data;
  await postWebhook(statusWebhook(workspace, [{ id: chatMessageId ?? "", status: "delivered" }]));
  await scriptPlatform(workspace.whatsappPhoneNumberId, "messages", [graphError(131026)]);
  const refused = (await send()).body.details.messageId;
  await signIn("admin", `/dashboard/messages/${id}`);
  await page.getByRole("button", { name: "Raw webhook of delivered", exact: true }).click();
  await expect(page.getByText('"status": "delivered"')).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/dashboard/messages/${refused}`);
  await expect(page.getByText("fbtrace id", { exact: true })).toBeVisible();
  await expectAccessible(page);
  expect(unexpected(complaints, page)).toEqual([]);
});

test("a contact's, a call's and a key's own page pass axe in both schemes and fit 320 px", async ({
  page,
  signIn,
  workspace,
  complaints,
}) => {
  await requestRows(workspace, 2);
  for (const list of ["/dashboard/contacts", "/dashboard/requests", "/dashboard/settings/api-keys"]) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await signIn("owner", list);
    const own = await page.getByRole("rowheader").first().getByRole("link").getAttribute("href");
    await page.goto(own ?? "");
    await expect(page).not.toHaveURL(inAnyMode(list));
    await expectAccessible(page);
  }
  expect(unexpected(complaints, page)).toEqual([]);
});

test("an endpoint's and a delivery's own page pass axe in both schemes and fit 320 px", async ({
  page,
  signIn,
  workspace,
  complaints,
}) => {
  const { endpointId, deliveryId } = await endpointWithDelivery(workspace);
  const endpoint = `/dashboard/settings/webhooks/${endpointId}`;
  for (const path of [`/dashboard/settings/webhooks?mode=test`, endpoint, `${endpoint}/deliveries/${deliveryId}`]) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await signIn("owner", path);
    await expectAccessible(page);
  }
  expect(unexpected(complaints, page)).toEqual([]);
});

test("an invitation passes axe in both schemes and fits 320 px", async ({ page, workspace, complaints }) => {
  await page.goto(`/invite/${await invitationInto(workspace)}`);
  await expectAccessible(page);
  expect(unexpected(complaints, page)).toEqual([]);
});

test("a template's own page passes axe in both schemes and fits 320 px", async ({ page, complaints }) => {
  const { owner, templates } = await provisionWorkspace({ mode: "test", templates: [carouselRecord(3)] });
  await openSignedIn(page, owner, `/dashboard/templates/${Object.values(templates)[0]}`);
  await expectAccessible(page);
  expect(unexpected(complaints, page)).toEqual([]);
});

test("the open drawer passes axe in both schemes, closes with Esc and gives the focus back", async ({
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
});

test("every error code has a page", async ({ request }) => {
  for (const code of ERROR_CODES) expect((await request.get(`/docs/errors/${code}`)).status(), code).toBe(200);
});

test("the first stop of the keyboard skips to the content", async ({ page, signIn }) => {
  await signIn("owner");
  await page.goto("/dashboard/messages");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the docs read as they are", async ({ page }) => {
    await page.goto("/docs/quickstart");
    await expect(page.getByRole("heading", { level: 1, name: "Quickstart" })).toBeVisible();
    await expect(page.getByText("/api/v1/public/messages/send").first()).toBeVisible();
    const menu = page.getByRole("navigation", { name: "Docs" });
    await expect(menu.getByRole("link", { name: "Quickstart" })).toHaveAttribute("aria-current", "page");
  });

  for (const [colorScheme, background] of [
    ["light", "rgb(255, 255, 255)"],
    ["dark", "rgb(14, 17, 20)"],
  ] as const) {
    test(`in ${colorScheme} the page is painted in the scheme's own colour`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.goto("/");
      await expect(page.locator("body")).toHaveCSS("background-color", background);
    });
  }
});

/** The page that is open: wide in both schemes, and narrow in one, because its colours depend on the scheme only. */
const expectAccessible = async (page: Page) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await accessibilityFaultsInBothSchemes(page), `${page.url()} at 1280 px`).toEqual([]);
  await page.setViewportSize({ width: 375, height: 800 });
  expect(await accessibilityFaults(page), `${page.url()} at 375 px`).toEqual([]);
  await page.setViewportSize({ width: NARROWEST, height: 800 });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${page.url()} at ${NARROWEST} px`).toBeLessThanOrEqual(0);
};

/** The browser reports the 404 of a page that is meant to be one. */
const unexpected = (complaints: string[], page: Page): string[] =>
  complaints.filter((complaint) => !(complaint.includes("a status of 404") && complaint.endsWith(`(${page.url()})`)));
