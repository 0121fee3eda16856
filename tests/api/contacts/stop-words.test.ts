import { describe, test } from "vitest";
import { expectSent, PHONE } from "../../support/sends";
import { expectStopped, saleTo, workspaceWithStops } from "../../support/stops";
import { inboundWebhook } from "../../support/webhooks";
import { deliver } from "../../support/workspace";

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
    const workspace = await workspaceWithStops({ stop: ["iptal", "arrêt", "στοπ όλος", "توقف"] });
    await deliver(inboundWebhook(workspace, [{ from: PHONE, ...message }]));
    await expectStopped(workspace, { phone: PHONE });
  });
});

describe("201: marketing to a person whose message was another word", () => {
  test.each([
    ["a button with a stop word in its title", answer("Please iptal this", "17")],
    [
      "a row of a list, whose id is a name and no answer",
      { type: "interactive", interactive: { type: "list_reply", list_reply: { id: "iptal", title: "Bus 17" } } },
    ],
  ])("%s", async (_, message) => {
    const workspace = await workspaceWithStops({ stop: ["iptal"] });
    await deliver(inboundWebhook(workspace, [{ from: PHONE, ...message }]));
    expectSent(await workspace.send(saleTo({ phone: PHONE })));
  });
});
