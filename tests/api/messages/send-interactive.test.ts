import { describe, expect } from "vitest";
import { refusesSends } from "../../support/refused-sends";
import { expectSent, PHONE, sentBodies, wire } from "../../support/sends";
import { test } from "../../support/test";
import { provisionWorkspace } from "../../support/workspace";

const interactive = (content: unknown) => ({ type: "interactive", phone: PHONE, content: JSON.stringify(content) });
const body = { text: "Keep the slot?" };
const reply = (id: string, title: string) => ({ type: "reply", reply: { id, title } });
const link = { name: "cta_url", parameters: { display_text: "Track", url: "https://shop.example/t/42" } };
const picture = { type: "image", image: { link: "https://cdn.example/a.png" } };
const mediaCard = (card_index: number) => ({
  card_index,
  type: "cta_url",
  header: picture,
  body: { text: "A lamp" },
  action: link,
});

const FULL: object[] = [
  {
    type: "button",
    header: picture,
    body,
    footer: { text: "Reply by noon" },
    action: { buttons: [reply("keep", "Keep"), reply("drop", "Cancel"), reply("later", "Later")] },
  },
  { type: "carousel", body, action: { cards: [mediaCard(0), mediaCard(1)] } },
  { type: "address_message", body, action: { name: "address_message", parameters: { country: "IN", values: null } } },
  { zeta: { b: 1, a: [true, null] }, type: "cta_url", action: link, body: { text: "Go", tone: "warm" } },
];

describe("201", () => {
  test("WhatsApp's full object passes unchanged, in the caller's order and with what is new to us", async () => {
    const workspace = await provisionWorkspace();
    const sent: string[] = [];
    for (const full of FULL) {
      const answer = await workspace.send(interactive(full));
      expectSent(answer);
      sent.push(wire(answer, { type: "interactive", interactive: full }));
    }
    expect(await sentBodies(workspace)).toEqual(sent);
  });

  test("the short form is written out", async ({ workspace }) => {
    const given = {
      type: "button",
      body: "Keep the slot?",
      buttons: [{ id: "keep", title: "Keep" }, reply("drop", "Cancel")],
    };
    const answer = await workspace.send(interactive(given));
    expectSent(answer);
    const full = { type: "button", body, action: { buttons: [reply("keep", "Keep"), reply("drop", "Cancel")] } };
    const [sent, ...more] = await sentBodies(workspace);
    expect(more).toEqual([]);
    expect(JSON.parse(sent ?? "")).toEqual(JSON.parse(wire(answer, { type: "interactive", interactive: full })));
  });
});

describe("400", () => {
  const keep = { id: "keep", title: "Keep" };
  const raw = (content: unknown) => ({ type: "interactive", phone: PHONE, content });

  refusesSends([
    ["a list in place of an object", interactive([]), { content: "not an object" }],
    [
      "every broken limit, under the caller's own path",
      interactive({
        type: "button",
        body: "a".repeat(1_025),
        footer: "a".repeat(61),
        buttons: [{ id: " a", title: "T".repeat(21) }, keep, keep],
      }),
      {
        "content.body": "1025 characters, the limit is 1024",
        "content.footer": "61 characters",
        "content.buttons[0].id": "space",
        "content.buttons[0].title": "21 characters, the limit is 20",
        "content.buttons[2].id": "earlier",
        "content.buttons[2].title": "earlier",
      },
    ],
    ["an object instead of a string", raw({ type: "button" }), { content: "must be a string that holds JSON" }],
    ["text that is no JSON", raw('{"type": button}'), { content: "it breaks at line 1, column 10" }],
  ]);
});
