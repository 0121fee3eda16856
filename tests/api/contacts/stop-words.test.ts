import { randomInt } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sql } from "../../support/rows";
import { sentBodies } from "../../support/sends";
import { bodyOf, templateRecord } from "../../support/template-records";
import { inboundWebhook } from "../../support/webhooks";
import { postWebhook, provisionWorkspace } from "../../support/workspace";

const SALE = templateRecord("sale", [bodyOf("Half price today.")], { category: "MARKETING" });
const text = (body: string) => ({ type: "text", text: { body } });
const answer = (title: string, id: string) => ({
  type: "interactive",
  interactive: { type: "button_reply", button_reply: { id, title } },
});

describe("400: marketing to a person whose message was a stop word", () => {
  test.each([
    ["in capitals with a dot", text("İPTAL")],
    ["without its dot", text("ıptal")],
    ["without an accent", text("Arret!")],
    ["with a final sigma", text("ΣΤΟΠ ΌΛΟΣ")],
    ["with vowel marks and a tatweel", text("تَوَقُّـف")],
    ["with invisible characters", text("\u202aip\u200btal\u202c")],
    ["as the text of a quick reply", { type: "button", button: { text: "İptal", payload: "3" } }],
    ["as the payload of a quick reply", { type: "button", button: { text: "No more offers", payload: "İPTAL" } }],
    ["as the id of a button", answer("No more offers", "iptal")],
    ["as the payload beside a start word", { type: "button", button: { text: "Start", payload: "iptal" } }],
  ])("%s", async (_, message) => {
    const workspace = await provisionWorkspace({ templates: [SALE] });
    // As an earlier release saved them.
    const words = JSON.stringify(["iptal", "arrêt", "στοπ όλος", "توقف"]);
    await sql`
      update workspaces set refuse_opted_out = true, stop_words = ${words}::text::jsonb, start_words = '["start"]'
      where id = ${workspace.workspaceId}`;
    const phone = `9055${randomInt(10_000_000, 99_999_999)}`;
    const received = await postWebhook(inboundWebhook(workspace, [{ from: phone, ...message }]));
    expect(received.status, received.text).toBe(200);
    const send = { type: "template", phone, templateName: "sale", templateVariables: {} };
    const { status, body } = await workspace.send(send);
    expect([status, body.details?.platform?.code]).toEqual([400, 131050]);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([]);
  });
});

describe("201: marketing to a person whose message was another word", () => {
  test.each([
    ["a button with a stop word in its title", answer("Please iptal this", "17")],
    [
      "a row of a list, whose id is a name and no answer",
      {
        type: "interactive",
        interactive: { type: "list_reply", list_reply: { id: "iptal", title: "Bus 17" } },
      },
    ],
  ])("%s", async (_, message) => {
    const workspace = await provisionWorkspace({ templates: [SALE] });
    await sql`
      update workspaces set refuse_opted_out = true, stop_words = '["iptal"]' where id = ${workspace.workspaceId}`;
    const phone = `9055${randomInt(10_000_000, 99_999_999)}`;
    await postWebhook(inboundWebhook(workspace, [{ from: phone, ...message }]));
    const send = { type: "template", phone, templateName: "sale", templateVariables: {} };
    expect((await workspace.send(send)).status).toBe(201);
  });
});
