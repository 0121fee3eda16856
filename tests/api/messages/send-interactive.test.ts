import { describe, expect, test } from "vitest";
import { expectInvalid, expectNothingBound, expectSent, PHONE, sentBodies, wire } from "../../support/sends";
import { provisionWorkspace } from "../../support/workspace";

const interactive = (content: unknown) => ({ type: "interactive", phone: PHONE, content: JSON.stringify(content) });
const body = { text: "Keep the slot?" };
const reply = (id: string, title: string) => ({ type: "reply", reply: { id, title } });
const rows = (count: number, prefix = "r") =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, title: `Row ${index}` }));
const link = { name: "cta_url", parameters: { display_text: "Track", url: "https://shop.example/t/42" } };
const picture = { type: "image", image: { link: "https://cdn.example/a.png" } };
const mediaCard = (card_index: number, action: object = link) => ({
  card_index,
  type: "cta_url",
  header: picture,
  body: { text: "A lamp" },
  action,
});
const flowAction = {
  name: "flow",
  parameters: { flow_message_version: "3", flow_id: "42", flow_cta: "Book", flow_action_payload: { screen: "A" } },
};

const FULL: [title: string, interactive: object][] = [
  [
    "button with header and footer",
    {
      type: "button",
      header: picture,
      body,
      footer: { text: "Reply by noon" },
      action: { buttons: [reply("keep", "Keep"), reply("drop", "Cancel"), reply("later", "Later")] },
    },
  ],
  [
    "list",
    {
      type: "list",
      header: { type: "text", text: "Times" },
      body: { text: "a".repeat(4_096) },
      action: {
        button: "See times",
        sections: [
          { title: "Mon", rows: rows(5, "m") },
          { title: "Tue", rows: rows(5, "t") },
        ],
      },
    },
  ],
  ["cta_url", { type: "cta_url", body: { text: "a".repeat(1_024) }, action: link }],
  ["flow", { type: "flow", body, action: flowAction }],
  ["product", { type: "product", body, action: { catalog_id: "1", product_retailer_id: "sku" } }],
  [
    "product_list",
    {
      type: "product_list",
      header: { type: "text", text: "New" },
      body,
      action: { catalog_id: "1", sections: [{ title: "Lamps", product_items: [{ product_retailer_id: "sku" }] }] },
    },
  ],
  ["catalog_message", { type: "catalog_message", body, action: { name: "catalog_message" } }],
  ["location_request_message", { type: "location_request_message", body, action: { name: "send_location" } }],
  ["carousel of links", { type: "carousel", body, action: { cards: [mediaCard(0), mediaCard(1)] } }],
  [
    "carousel of quick replies",
    {
      type: "carousel",
      body,
      action: {
        cards: [0, 1].map((index) =>
          mediaCard(index, { buttons: [{ type: "quick_reply", quick_reply: { id: `c${index}`, title: "This one" } }] }),
        ),
      },
    },
  ],
  [
    "carousel of products",
    {
      type: "carousel",
      body,
      action: {
        cards: [0, 1].map((card_index) => ({
          card_index,
          type: "product",
          action: { catalog_id: "1", product_retailer_id: `sku${card_index}` },
        })),
      },
    },
  ],
  [
    "a type that is new to us, with null and empty values",
    { type: "address_message", body, action: { name: "address_message", parameters: { country: "IN", values: null } } },
  ],
  [
    "fields that are new to us, in the caller's order",
    { zeta: { b: 1, a: [true, null] }, type: "cta_url", action: link, body: { text: "Go", tone: "warm" } },
  ],
];

describe("201", () => {
  test.for(FULL)("WhatsApp's full object passes unchanged: %s", async ([, full]) => {
    const workspace = await provisionWorkspace();
    const answer = await workspace.send(interactive(full));
    expectSent(answer);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      wire(answer, { type: "interactive", interactive: full }),
    ]);
  });

  const short: [title: string, given: object, full: object][] = [
    [
      "button",
      { type: "button", body: "Keep the slot?", buttons: [{ id: "keep", title: "Keep" }, reply("drop", "Cancel")] },
      { type: "button", body, action: { buttons: [reply("keep", "Keep"), reply("drop", "Cancel")] } },
    ],
    [
      "button with body as {text}",
      { type: "button", body, buttons: [{ type: "reply", id: "keep", title: "Keep" }] },
      { type: "button", body, action: { buttons: [reply("keep", "Keep")] } },
    ],
    [
      "list",
      { type: "list", body: "Keep the slot?", button: "See times", sections: [{ rows: rows(1) }] },
      { type: "list", body, action: { button: "See times", sections: [{ rows: rows(1) }] } },
    ],
    [
      "cta_url",
      { type: "cta_url", body: "Keep the slot?", footer: "Soon", display_text: "Track", url: link.parameters.url },
      { type: "cta_url", body, footer: { text: "Soon" }, action: link },
    ],
  ];

  test.for(short)("the short form is written out: %s", async ([, given, full]) => {
    const workspace = await provisionWorkspace();
    const answer = await workspace.send(interactive(given));
    expectSent(answer);
    const [sent, ...more] = await sentBodies(workspace.whatsappPhoneNumberId);
    expect(more).toEqual([]);
    expect(JSON.parse(sent ?? "")).toEqual(JSON.parse(wire(answer, { type: "interactive", interactive: full })));
  });
});

describe("400", () => {
  const keep = { id: "keep", title: "Keep" };
  const button = (more: object) => ({ type: "button", body: "Keep?", buttons: [keep], ...more });
  const list = (more: object) => ({
    type: "list",
    body: "When?",
    button: "See",
    sections: [{ rows: rows(1) }],
    ...more,
  });
  const refused: [title: string, content: unknown, faults: Record<string, string | RegExp>][] = [
    ["a list", [], { content: "not an object" }],
    ["no type", { body: "Hi" }, { "content.type": "is required" }],
    ["no body", { type: "button", buttons: [keep] }, { "content.body": "is required" }],
    ["no buttons", { type: "button", body: "Keep?" }, { "content.buttons": "is required" }],
    ["an empty button list", button({ buttons: [] }), { "content.buttons": "0 buttons" }],
    [
      "four buttons",
      button({ buttons: [1, 2, 3, 4].map((n) => ({ id: `${n}`, title: `B${n}` })) }),
      { "content.buttons": "4 buttons; it must have 1 to 3" },
    ],
    [
      "long and double titles and ids",
      button({ buttons: [{ id: " a", title: "T".repeat(21) }, keep, keep] }),
      {
        "content.buttons[0].id": "space",
        "content.buttons[0].title": "21 characters, the limit is 20",
        "content.buttons[2].id": "earlier",
        "content.buttons[2].title": "earlier",
      },
    ],
    ["a body of 1,025", button({ body: "a".repeat(1_025) }), { "content.body": "1025 characters, the limit is 1024" }],
    ["a blank body", button({ body: " " }), { "content.body": "empty" }],
    ["a footer of 61", button({ footer: "a".repeat(61) }), { "content.footer": "61 characters" }],
    ["a header of 61", button({ header: "a".repeat(61) }), { "content.header": "61 characters" }],
    [
      "a media header with both id and link",
      button({ header: { type: "image", image: { id: "1", link: "https://a.example" } } }),
      { "content.header.image": "exactly one" },
    ],
    ["a list body of 4,097", list({ body: "a".repeat(4_097) }), { "content.body": "4097" }],
    ["a list with a picture", list({ header: picture }), { "content.header.type": 'must be "text"' }],
    [
      "11 sections",
      list({
        sections: Array.from({ length: 11 }, (_, at) => ({ title: `${at}`, rows: at < 10 ? rows(1, `s${at}`) : [] })),
      }),
      { "content.sections": "11 sections", "content.sections[10].rows": "0 rows" },
    ],
    [
      "11 rows in all",
      list({
        sections: [
          { title: "A", rows: rows(6, "a") },
          { title: "B", rows: rows(5, "b") },
        ],
      }),
      { "content.sections": "11 rows in all" },
    ],
    [
      "sections without titles",
      list({ sections: [{ rows: rows(1, "a") }, { rows: rows(1, "b") }] }),
      { "content.sections[0].title": "title", "content.sections[1].title": "title" },
    ],
    [
      "long row parts and a double id",
      list({ sections: [{ rows: [{ id: "a".repeat(201), title: "t".repeat(25), description: "d".repeat(73) }] }] }),
      {
        "content.sections[0].rows[0].id": "201",
        "content.sections[0].rows[0].title": "25",
        "content.sections[0].rows[0].description": "73",
      },
    ],
    [
      "a link that is no web address",
      { type: "cta_url", body: "Go", display_text: "Track", url: "javascript:alert(1)" },
      { "content.url": "http" },
    ],
    [
      "a flow with both id and name, emoji, and empty data",
      {
        type: "flow",
        body,
        action: {
          name: "flow",
          parameters: {
            flow_message_version: "3",
            flow_id: "1",
            flow_name: "a",
            flow_cta: "Go 🎉",
            flow_action_payload: { screen: "A", data: {} },
          },
        },
      },
      {
        "content.action.parameters": "exactly one",
        "content.action.parameters.flow_cta": "emoji",
        "content.action.parameters.flow_action_payload.data": "at least one",
      },
    ],
    [
      "a product with a header",
      { type: "product", header: picture, action: { catalog_id: "1", product_retailer_id: "s" } },
      { "content.header": "no header" },
    ],
    [
      "a product list without a header",
      {
        type: "product_list",
        body,
        action: { catalog_id: "1", sections: [{ product_items: [{ product_retailer_id: "s" }] }] },
      },
      { "content.header": "is required" },
    ],
    [
      "a carousel of one card",
      { type: "carousel", body, action: { cards: [mediaCard(0)] } },
      { "content.action.cards": "1 cards; it must have 2 to 10" },
    ],
    [
      "a carousel of unlike cards",
      {
        type: "carousel",
        body,
        action: { cards: [mediaCard(0), mediaCard(0, { buttons: [{ type: "quick_reply", quick_reply: keep }] })] },
      },
      { "content.action.cards[1].card_index": "earlier", "content.action.cards[1]": "same kind" },
    ],
  ];

  test.for(refused)("%s: the limit is named under the caller's own path", async ([, content, faults]) => {
    const workspace = await provisionWorkspace();
    expectInvalid(await workspace.send(interactive(content)), faults);
    await expectNothingBound(workspace);
  });

  const raw: [title: string, content: unknown, message: string | RegExp][] = [
    ["an object instead of a string", { type: "button" }, "must be a string that holds JSON"],
    ["text that is no JSON", '{"type": button}', "not valid JSON"],
    ["an empty string", "", /JSON/],
    ["a doubled key", '{"type":"button","type":"list"}', "twice"],
    ["33 levels", `${'{"type":'.repeat(33)}1${"}".repeat(33)}`, "nested deeper"],
    ["nothing", null, "is required"],
  ];

  test.for(raw)("content that is %s", async ([title, content, message]) => {
    const workspace = await provisionWorkspace();
    const answer = await workspace.send({ type: "interactive", phone: PHONE, content });
    expectInvalid(answer, { [title === "a doubled key" ? "content.type" : "content"]: message });
    await expectNothingBound(workspace);
  });
});
