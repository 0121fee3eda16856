import { addEndpoint } from "../support/receiver";
import { inboundWebhook } from "../support/webhooks";
import { postWebhook, provisionWorkspace } from "../support/workspace";
import { accessibilityFaultsInBothSchemes, expect, OPEN_DIALOG, openSignedIn, test } from "./dashboard-test";

const ENDPOINTS = "/dashboard/settings/webhooks?mode=live";

test("stop words are the owner's, and the contact shows who wrote one", async ({ page, complaints }) => {
  const workspace = await provisionWorkspace({ mode: "live" });
  await openSignedIn(page, workspace.owner, "/dashboard/settings");
  const save = page.getByRole("button", { name: "Save words" });
  await page.getByLabel("Stop words").fill("STOP; Nein danke!, stop, wrong");
  const chips = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Remove / }) });
  await expect(chips).toHaveText(["STOP", "Nein danke!", "stop", "wrong"]);
  await page.getByRole("button", { name: "Remove wrong" }).click();
  await page.getByLabel("Words that allow it again").fill("stop");
  await save.click();
  await expect(page.getByText("A word cannot stop marketing and allow it.")).toBeVisible();
  await page.getByLabel("Words that allow it again").fill("Start");
  await page.getByLabel("Refuse marketing templates to them").check();
  await save.click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(page.getByLabel("Stop words")).toHaveValue("stop, nein danke");
  await expect(page.getByLabel("Words that allow it again")).toHaveValue("start");
  await expect(page.getByLabel("Refuse marketing templates to them")).toBeChecked();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);

  const sent = await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
  const written = inboundWebhook(workspace, [{ from: "447700900123", text: { body: "Nein danke" } }]);
  expect((await postWebhook(written)).status).toBe(200);
  await page.goto(`/dashboard/contacts/${sent.headers.get("x-contact-id")}`);
  await expect(page.getByText(/^Stopped .*, by a stop word$/)).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("what people write is off for a new endpoint, and a delivery of it hides the words", async ({
  page,
  complaints,
}) => {
  const workspace = await provisionWorkspace({ mode: "live" });
  await openSignedIn(page, workspace.owner, ENDPOINTS);
  await page.getByRole("button", { name: "Add endpoint", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("checkbox", { name: "message.read" })).toBeChecked();
  for (const name of ["message.received", "contact.opted_out", "contact.opted_in", "contact.changed"]) {
    await expect(dialog.getByRole("checkbox", { name })).not.toBeChecked();
  }
  await expect(dialog.getByText("They carry personal data to this URL")).toBeVisible();
  expect(await accessibilityFaultsInBothSchemes(page, OPEN_DIALOG)).toEqual([]);

  const { id } = await addEndpoint(workspace, {
    url: "https://partner.invalid/hook",
    mode: "live",
    events: ["message.received", "contact.changed"],
  });
  const text = "My card is 4111 1111";
  const contact = { wa_id: "447700900456", profile: { name: "Ada Lovelace" } };
  await postWebhook(inboundWebhook(workspace, [{ from: "447700900456", text: { body: text } }], [contact]));
  await page.goto(`/dashboard/settings/webhooks/${id}`);
  await page.getByRole("link", { name: "message.received" }).first().click();
  await expect(page.getByText("<20 characters>")).toBeVisible();
  const content = await page.content();
  for (const secret of [text, "Ada Lovelace", "447700900456"]) expect(content).not.toContain(secret);
  await page.getByRole("link", { name: /^ct_/ }).click();
  await expect(page).toHaveURL(/\/dashboard\/contacts\/ct_/);
  expect(complaints).toEqual([]);
});
