import { randomUUID } from "node:crypto";
import type { BrowserContext, Page } from "@playwright/test";
import { startInstance } from "../support/environment";
import { freshAccount } from "../support/line-actions";
import { platformRequests, provisionWorkspace, scriptPlatform } from "../support/workspace";
import { accessibilityFaultsInBothSchemes, expect, openSignedIn, test } from "./dashboard-test";

const META = { META_APP_ID: "7040100200", META_CONFIG_ID: "8050300400" };

let on: Awaited<ReturnType<typeof startInstance>>;
test.beforeAll(async () => {
  on = await startInstance(META);
});
test.afterAll(() => on.stop());

/** Meta's script and window, as far as the page uses them: the window posts `messages`, and the script calls back. */
const playMeta = async (context: BrowserContext, messages: unknown[], response: unknown) => {
  const asked: string[] = [];
  await context.route("https://connect.facebook.net/en_US/sdk.js", (route) => {
    asked.push(route.request().url());
    const body = `window.FB = {
      init: (options) => { window.metaInit = options; },
      login: (done, options) => {
        window.metaLogin = options;
        addEventListener("message", ({ data }) => data === "over" && done(${JSON.stringify(response)}));
        open("https://www.facebook.com/dialog/oauth", "meta", "width=600,height=700");
      },
    };`;
    return route.fulfill({ contentType: "text/javascript", body });
  });
  await context.route("https://www.facebook.com/**", (route) => {
    const posts = [...messages.map((one) => JSON.stringify(one)), "over"];
    const script = posts.map((text) => `opener.postMessage(${JSON.stringify(text)}, "*");`).join("");
    return route.fulfill({ contentType: "text/html", body: `<script>${script} close();</script>` });
  });
  return asked;
};

const openConnect = async (page: Page) => {
  const workspace = await provisionWorkspace({ lines: [] });
  await openSignedIn(page, workspace.owner, `${on.baseUrl}/dashboard/phone-numbers/new`);
};
const message = (event: string, data: object) => ({ type: "WA_EMBEDDED_SIGNUP", event, data, version: 3 });
const start = (page: Page) => page.getByRole("button", { name: "Connect with Facebook" });

test("Meta's dialog leads to a connected line, and the new PIN is shown once", async ({
  page,
  context,
  complaints,
}) => {
  const account = freshAccount();
  const { whatsappBusinessAccountId: waba_id, whatsappPhoneNumberId: phone_number_id } = account;
  const pending = { id: phone_number_id, display_phone_number: "+44 20 7946 0123", status: "PENDING" };
  await scriptPlatform(waba_id, "phone_numbers", [{ json: { data: [pending] } }]);
  const finish = message("FINISH", { waba_id, phone_number_id, business_id: "3020304050" });
  const asked = await playMeta(context, [finish], {
    authResponse: { code: `AQB${randomUUID()}` },
    status: "connected",
  });
  await openConnect(page);
  await page.waitForLoadState("networkidle");
  expect(asked).toEqual([]);

  await start(page).click();
  const dialog = page.getByRole("dialog", { name: "Line connected" });
  await expect(dialog).toBeVisible();
  const pin = await dialog.locator("code").innerText();
  const [registration] = await platformRequests(phone_number_id, "register");
  expect(JSON.parse(registration?.body ?? "{}").pin).toBe(pin);
  expect(await page.evaluate(() => Reflect.get(window, "metaInit"))).toEqual({
    appId: META.META_APP_ID,
    version: "v25.0",
    status: false,
    cookie: false,
    xfbml: false,
  });
  expect(await page.evaluate(() => Reflect.get(window, "metaLogin"))).toEqual({
    config_id: META.META_CONFIG_ID,
    response_type: "code",
    override_default_response_type: true,
    extras: { setup: {}, sessionInfoVersion: "3", version: "v4" },
  });
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);

  await dialog.getByRole("button", { name: "Open line" }).click();
  await page.waitForURL("**/dashboard/phone-numbers/pn_*");
  await expect(page.getByRole("heading", { level: 1, name: "+44 20 7946 0123" })).toBeVisible();
  expect(await page.content()).not.toContain(pin);
  expect(complaints).toEqual([]);
});

test("a number that can send already leads to its line at once", async ({ page, context }) => {
  const { whatsappBusinessAccountId: waba_id, whatsappPhoneNumberId: phone_number_id } = freshAccount();
  const finish = message("FINISH", { waba_id, phone_number_id });
  await playMeta(context, [finish], { authResponse: { code: `AQB${randomUUID()}` }, status: "connected" });
  await openConnect(page);
  await start(page).click();
  await page.waitForURL("**/dashboard/phone-numbers/pn_*");
  await expect(page.getByRole("heading", { level: 1, name: "Sandbox Shop" })).toBeVisible();
});

test("a closed dialog and a refused code are said in plain words, and the button stays", async ({ page, context }) => {
  await playMeta(context, [message("CANCEL", { current_step: "PHONE_NUMBER_SETUP" })], { status: "unknown" });
  await openConnect(page);
  await start(page).click();
  await expect(page.getByText("Meta’s dialog was closed before it was finished. Nothing was stored.")).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);

  await context.unrouteAll();
  const { whatsappBusinessAccountId: waba_id, whatsappPhoneNumberId: phone_number_id } = freshAccount();
  const response = { authResponse: { code: `refused-${randomUUID()}` }, status: "connected" };
  await playMeta(context, [message("FINISH", { waba_id, phone_number_id })], response);
  await page.reload();
  await start(page).click();
  await expect(page.getByText("Meta’s code could not be exchanged. WhatsApp said:")).toBeVisible();
  await expect(start(page)).toBeEnabled();
});

test("where Meta's script is blocked, the page says so and the token form still works", async ({ page, context }) => {
  await context.route("https://connect.facebook.net/**", (route) => route.abort());
  await openConnect(page);
  await start(page).click();
  await expect(page.getByText("The dialog could not be loaded from connect.facebook.net.")).toBeVisible();
  await expect(page.getByLabel("Access token")).toBeVisible();
});
