import type { Page } from "@playwright/test";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { testServers } from "../support/environment";
import { messageRows, sql } from "../support/rows";
import { runInShell } from "../support/shell";
import { carouselRecord } from "../support/template-records";
import { graphError, provisionWorkspace, scriptPlatform, type TestWorkspace } from "../support/workspace";
import { expect, openSignedIn, test } from "./dashboard-test";

/** The fixtures in a workspace of their own, their sample media where it can be fetched. */
const fixtureWorkspace = () =>
  provisionWorkspace({
    mode: "test",
    templates: FIXTURE_TEMPLATES.map((template) => {
      const text = JSON.stringify(template).replaceAll("https://scontent.example", testServers().mediaUrl);
      return JSON.parse(text);
    }),
  });

const signInTo = async (page: Page, workspace: TestWorkspace) => {
  await openSignedIn(page, workspace.owner);
};

const callOn = (page: Page) => page.getByRole("region", { name: "API call" });
const codeOn = (page: Page) => callOn(page).locator("figure code").innerText();

/** Runs what a person would paste, with the secret in the environment. */
const runWithSecret = (code: string, { apiSecret }: TestWorkspace) => runInShell(code, { CHAT_API_SECRET: apiSecret });

test.describe("the call of a template", () => {
  test("for a carousel of three cards never seen before is whole in each of its forms", async ({ page }) => {
    const workspace = await provisionWorkspace({
      mode: "test",
      templates: [
        JSON.parse(JSON.stringify(carouselRecord(3)).replaceAll("https://cdn.example", testServers().mediaUrl)),
      ],
    });
    await signInTo(page, workspace);
    await page.goto("/dashboard/templates");
    await page.getByRole("link", { name: "summer_offers" }).click();
    await page.getByRole("group", { name: "Card 1" }).getByLabel("{{1}}", { exact: true }).fill("10 %");
    await page.getByRole("group", { name: "Card 3" }).getByLabel("{{1}}", { exact: true }).fill("it's 30 %");
    await expect(page.getByRole("region", { name: "Preview" })).toContainText("it's 30 % off");
    for (const form of ["Variables", "Components", "Carousel"]) {
      await callOn(page).getByText(form, { exact: true }).click();
      const code = await codeOn(page);
      expect(code).toContain("30 %");
      expect(code).toContain("Idempotency-Key");
      expect(await runWithSecret(code, workspace), code).toBe("201");
    }
  });
});

test.describe("the form of a template", () => {
  test("counts, refuses a whole URL for a suffix, shows each value where it goes, and keeps languages apart", async ({
    page,
  }) => {
    const workspace = await fixtureWorkspace();
    await signInTo(page, workspace);
    await page.goto(`/dashboard/templates/${workspace.templates["order_ready/en_US"]}`);
    const preview = page.getByRole("region", { name: "Preview" });
    for (const key of ["1", "2"]) {
      await expect(page.getByLabel(`{{${key}}}`, { exact: true }), "it begins with samples").not.toHaveValue("");
      await page.getByLabel(`{{${key}}}`, { exact: true }).fill("");
    }
    await expect(preview).toContainText("Hi 1, your order 2 is ready.");
    await page.getByLabel("{{2}}", { exact: true }).fill("A-1");
    await page.getByLabel("{{1}}", { exact: true }).fill("<b>Ada</b>");
    await expect(page.getByText("10/160")).toBeVisible();
    await expect(preview).toContainText("Hi <b>Ada</b>, your order A-1 is ready.");
    await expect(preview).toContainText("https://shop.example/o/<b>Ada</b>");
    await page.getByLabel("{{1}}", { exact: true }).fill("https://shop.example/o/8812");
    await expect(page.getByText(/is a full URL.*send only the suffix, "8812"/).first()).toBeVisible();
    await expect(callOn(page).getByText("The API would refuse this.")).toBeVisible();
    await page.getByLabel("{{1}}", { exact: true }).fill("8812");
    expect(await codeOn(page)).toContain('"1": "8812"');
    await preview.getByText("Dark", { exact: true }).click();
    await expect(page.locator("[data-preview=dark]")).toHaveCSS("background-color", "rgb(11, 20, 26)");
    await page.getByRole("navigation", { name: "Languages" }).getByRole("link", { name: "de" }).click();
    await expect(preview).toContainText("Hallo");
    await expect(callOn(page).locator("code").first()).toContainText('"templateLanguage": "de"');
  });

  test("sends once, however quickly its button is clicked twice, and shows the answer beside the values", async ({
    page,
  }) => {
    const workspace = await fixtureWorkspace();
    const path = `/dashboard/templates/${workspace.templates["order_ready/en_US"]}`;
    await openSignedIn(page, workspace.member, path);
    expect(await codeOn(page), "a member sees no key").toContain("$CHAT_API_KEY");
    expect(await page.content()).not.toContain(workspace.apiKey);
    await page.getByLabel("{{1}}", { exact: true }).fill("Grace");
    await page.getByRole("button", { name: "Send test message" }).dblclick();
    await expect(page.getByRole("region", { name: "Response" })).toContainText("201 Created");
    await expect(page.getByRole("link", { name: "Open message" })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`${path}\\?sent=msg_`));
    await expect(page.getByLabel("{{1}}", { exact: true })).toHaveValue("Grace");
    expect(await messageRows(workspace)).toHaveLength(1);
  });

  test("moves through the cards by its buttons, and takes two quick steps for two, though the cards still move", async ({
    page,
  }) => {
    const workspace = await fixtureWorkspace();
    await signInTo(page, workspace);
    await page.goto(`/dashboard/templates/${workspace.templates["test_carousel/en_US"]}`);
    await expect(page.getByText("Card 1 of 3")).toBeVisible();
    await page.getByRole("button", { name: "Next card" }).click();
    await expect(page.getByText("Card 2 of 3")).toBeVisible();
    await page.reload();
    await expect(page.getByText("Card 1 of 3")).toBeVisible();
    await page.getByRole("button", { name: "Next card" }).dblclick();
    await expect(page.getByText("Card 3 of 3")).toBeVisible();
    await expect
      .poll(() => page.getByRole("list", { name: "Cards" }).evaluate((it) => it.scrollLeft))
      .toBeGreaterThan(300);
    await expect(page.getByText("Card 3 of 3")).toBeVisible();
  });
});

test.describe("the list of templates", () => {
  test("keeps what was there where the sync fails, and says why; a status that is new to us is shown as its word", async ({
    page,
    signIn,
    workspace,
  }) => {
    await sql`
        update templates set status = 'IN_SECOND_REVIEW'
        where workspace_id = ${workspace.workspaceId} and name = 'order_ready'`;
    await signIn("member", "/dashboard/templates");
    const expired = graphError(190, "The token has expired");
    await scriptPlatform(workspace.whatsappBusinessAccountId, "message_templates", [expired]);
    await page.getByRole("button", { name: "Sync now" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "token has expired" })).toBeVisible();
    await expect(page.getByRole("row", { name: /order_ready/ })).toContainText("In second review");
  });
});

test.describe("a new template", () => {
  test("is checked as one types, submitted, and approved by the sandbox", async ({ page }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await signInTo(page, workspace);
    await page.goto("/dashboard/templates/new");
    await page.getByLabel("Name").fill("Order Ready");
    await expect(page.getByText("Lower-case letters a–z")).toBeVisible();
    await page.getByLabel("Name").fill("order_ready");
    await expect(page.getByText("Lower-case letters a–z")).toHaveCount(0);
    await page.getByLabel("Category").selectOption("MARKETING");
    await page.getByLabel("Body").fill("Hi {{1}}, your order is *ready*.");
    await page.getByRole("button", { name: "Link", exact: true }).click();
    await page.getByRole("textbox", { name: "Label" }).fill("Track");
    await page.getByLabel("URL").fill("http://shop.example/{{1}}");
    await expect(page.getByText("The URL begins with https://.")).toBeVisible();
    await page.getByLabel("URL").fill("https://shop.example/{{1}}/x");
    await expect(page.getByText("stands at the very end")).toBeVisible();
    await page.getByLabel("URL").fill("https://shop.example/{{1}}");

    await page.getByRole("button", { name: "Submit for review" }).click();
    await expect(page.getByText("2 things need a change.")).toBeVisible();
    await expect(page.getByLabel("Sample for {{1}}").first()).toBeFocused();
    await page.getByLabel("Sample for {{1}}").first().fill("Ada");
    await page.getByLabel("Sample for {{1}}").last().fill("8812");
    await expect(page.getByRole("region", { name: "Preview" })).toContainText("Hi Ada, your order is ready.");
    await page.getByRole("button", { name: "Submit for review" }).click();
    await page.waitForURL(/\/dashboard\/templates\/tpl_/);
    await expect(page.getByRole("heading", { name: "order_ready" })).toBeVisible();
    await expect(async () => {
      await page.reload();
      await expect(page.getByText("Approved", { exact: true })).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 20_000 });
    expect(await runWithSecret(await codeOn(page), workspace)).toBe("201");
  });

  test("a rejected one has its reason at the field, is edited and resubmitted, and has no call until then", async ({
    page,
  }) => {
    const workspace = await fixtureWorkspace();
    await signInTo(page, workspace);
    await page.goto(`/dashboard/templates/${workspace.templates["test_rejected/en_US"]}`);
    await expect(page.getByText("Rejected: invalid format.")).toBeVisible();
    await expect(callOn(page)).toHaveCount(0);
    await page.getByRole("link", { name: "Edit and resubmit" }).click();
    await expect(page.getByLabel("Name")).toHaveValue("test_rejected");
    await expect(page.getByLabel("Name")).toHaveAttribute("readonly");
    await expect(page.getByLabel("Body")).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByText("WhatsApp rejected this (invalid format).")).toBeVisible();
    await page.getByLabel("Body").fill("This template is approved now.");
    await expect(page.getByText("WhatsApp rejected this")).toHaveCount(0);
    await page.getByRole("button", { name: "Resubmit for review" }).click();
    await page.waitForURL(/\/dashboard\/templates\/tpl_/);
    await expect(page.getByText("Approved", { exact: true })).toBeVisible();
    expect(await runWithSecret(await codeOn(page), workspace)).toBe("201");
  });

  test("a one-time code has WhatsApp's text and our choices, one count of characters, and can be sent", async ({
    page,
  }) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    await signInTo(page, workspace);
    await page.goto("/dashboard/templates/new");
    await page.getByLabel("Body").fill("Hi {{1}}, your order is *ready*.");
    await expect(page.getByText(/\d+\/1024/)).toHaveCount(1);
    await page.getByLabel("Name").fill("login_code");
    await page.getByLabel("Category").selectOption("AUTHENTICATION");
    await expect(page.getByLabel("Body")).toHaveCount(0);
    const preview = page.getByRole("region", { name: "Preview" });
    await expect(preview).toContainText("123456 is your verification code. For your security, do not share this code.");
    await page.getByLabel("Add “For your security").uncheck();
    await page.getByLabel("Code expires after, minutes").fill("5");
    await expect(preview).toContainText("This code expires in 5 minutes.");
    await page.getByLabel("Button").selectOption("oneTap");
    await page.getByRole("button", { name: "Submit for review" }).click();
    await expect(page.getByText("The name of the Android package")).toBeVisible();
    await page.getByLabel("Button").selectOption("copyCode");
    await page.getByRole("button", { name: "Submit for review" }).click();
    await page.waitForURL(/\/dashboard\/templates\/tpl_/);
    await expect(page.getByText("Approved", { exact: true })).toBeVisible();
    expect(await runWithSecret(await codeOn(page), workspace)).toBe("201");
  });
});
