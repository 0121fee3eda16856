import { describe, expect, test } from "vitest";
import { expectRefused, post } from "../support/sandbox-requests";

const envelope = { messaging_product: "whatsapp", to: "+447700900123", type: "interactive" };
const interactive = (content: object) => ({ ...envelope, interactive: content });

const body = { text: "Choose" };
const reply = (n: number | string, title = `Title ${n}`) => ({ type: "reply", reply: { id: `id${n}`, title } });
const button = (buttons: unknown[], more: object = {}) =>
  interactive({ type: "button", body, action: { buttons }, ...more });
const row = (n: number, more: object = {}) => ({ id: `r${n}`, title: `Row ${n}`, ...more });
const rows = (count: number, from = 0) => Array.from({ length: count }, (_, n) => row(from + n));
const list = (sections: unknown[], action: object = {}) =>
  interactive({ type: "list", body, action: { button: "Times", sections, ...action } });
const cta = (parameters: object) => interactive({ type: "cta_url", body, action: { name: "cta_url", parameters } });
const flow = (parameters: object) =>
  interactive({
    type: "flow",
    body,
    action: { name: "flow", parameters: { flow_message_version: "3", flow_cta: "Book", ...parameters } },
  });
const products = (count: number) => Array.from({ length: count }, (_, n) => ({ product_retailer_id: `p${n}` }));
const productList = (sections: unknown[], more: object = {}) =>
  interactive({
    type: "product_list",
    header: { type: "text", text: "Shop" },
    body,
    action: { catalog_id: "c1", sections },
    ...more,
  });
const card = (
  card_index: number,
  action: object = { name: "cta_url", parameters: { display_text: "Go", url: "https://a.example" } },
) => ({
  card_index,
  type: "cta_url",
  header: { type: "image", image: { link: "https://a.example/1.png" } },
  body: { text: "One" },
  action,
});
const quickReplies = (...ids: string[]) => ({
  buttons: ids.map((id) => ({ type: "quick_reply", quick_reply: { id, title: id } })),
});
const productCard = (card_index: number, catalog_id = "c1") => ({
  card_index,
  type: "product",
  action: { catalog_id, product_retailer_id: "p1" },
});
const carousel = (cards: unknown[]) => interactive({ type: "carousel", body, action: { cards } });

describe("200", () => {
  const valid: [string, object][] = [
    [
      "three reply buttons with a media header",
      button([reply(1), reply(2), reply(3)], {
        header: { type: "document", document: { id: "1", filename: "a.pdf" } },
        footer: { text: "x".repeat(60) },
      }),
    ],
    ["list with a single section without a title", list([{ rows: [row(1, { description: "x".repeat(72) })] }])],
    ["link button", cta({ display_text: "x".repeat(20), url: "https://shop.example/t/42" })],
    [
      "flow",
      flow({
        flow_id: "1",
        mode: "draft",
        flow_action: "navigate",
        flow_action_payload: { screen: "A", data: { a: 1 } },
      }),
    ],
    ["product without a body", interactive({ type: "product", action: { catalog_id: "c", product_retailer_id: "p" } })],
    ["catalog message", interactive({ type: "catalog_message", body, action: { name: "catalog_message" } })],
    ["location request", interactive({ type: "location_request_message", body, action: { name: "send_location" } })],
    ["carousel of links", carousel([card(0), card(1)])],
    ["carousel of quick replies", carousel([card(0, quickReplies("a", "b")), card(1, quickReplies("c", "d"))])],
    [
      "carousel of ten quick replies a card",
      carousel([0, 1].map((index) => card(index, quickReplies(...Array.from("abcdefghij"))))),
    ],
    ["product list of two sections without titles", productList([1, 2].map(() => ({ product_items: products(1) })))],
    [
      "a product id of 300 characters",
      interactive({ type: "product", action: { catalog_id: "c", product_retailer_id: "p".repeat(300) } }),
    ],
    ["carousel of products", carousel([productCard(0), productCard(1)])],
    ["a special programme's interactive type", interactive({ type: "address_message", anything: true })],
  ];

  test.each(valid)("%s is accepted with a message id", async (_, send) => {
    const answer = await post(send);
    expect(answer.body).toMatchObject({
      messaging_product: "whatsapp",
      messages: [{ id: expect.stringMatching(/^wamid\.HBgL[\w+/]{40}$/) }],
    });
    expect(answer.status).toBe(200);
  });
});

describe("400", () => {
  const refused: [string, number, string, unknown][] = [
    ["interactive without a type", 131008, "interactive['type']", interactive({ body })],
    ["an unknown interactive type", 131009, "poll", interactive({ type: "poll", body })],
    [
      "a button title of 21 characters",
      131009,
      "interactive['action']['buttons'][0]['reply']['title'] must be at most 20",
      button([reply(1, "x".repeat(21))]),
    ],
    ["a button id with a space at its end", 131009, "space", button([reply("1 ")])],
    ["two buttons with one id", 131009, "unique ids", button([reply(1, "A"), reply(1, "B")])],
    ["two buttons with one title", 131009, "unique titles", button([reply(1, "A"), reply(2, "A")])],
    ["buttons without a body", 131008, "interactive['body']", button([reply(1)], { body: undefined })],
    ["an unknown header type", 100, "header", button([reply(1)], { header: { type: "gif" } })],
    [
      "a list with an image header",
      100,
      "header",
      interactive({
        type: "list",
        header: { type: "image", image: { id: "1" } },
        body,
        action: { button: "Go", sections: [{ rows: rows(1) }] },
      }),
    ],
    [
      "eleven rows in two sections",
      131009,
      "at most 10 rows",
      list([
        { title: "A", rows: rows(6) },
        { title: "B", rows: rows(5, 6) },
      ]),
    ],
    [
      "two sections of which one has no title",
      131008,
      "title",
      list([{ title: "A", rows: rows(1) }, { rows: rows(1, 1) }]),
    ],
    [
      "two rows with one id",
      131009,
      "unique ids",
      list([
        { title: "A", rows: [row(1)] },
        { title: "B", rows: [row(1)] },
      ]),
    ],
    ["a link button to half an address", 131009, "URL", cta({ display_text: "Go", url: "https:a.example" })],
    [
      "a link button to an address with a space",
      131009,
      "URL",
      cta({ display_text: "Go", url: "https://a.example/b c" }),
    ],
    ["a link button to a script", 131009, "URL", cta({ display_text: "Go", url: "javascript:alert(1)" })],
    ["a flow without id and name", 131008, "flow_id or flow_name", flow({})],
    ["a flow with a blank id", 131008, "flow_id", flow({ flow_id: " " })],
    ["a flow with id and name", 131009, "not both", flow({ flow_id: "1", flow_name: "a" })],
    ["a flow with an emoji on its button", 131009, "emoji", flow({ flow_id: "1", flow_cta: "Book 🙂" })],
    [
      "a flow with empty data",
      131009,
      "non-empty",
      flow({ flow_id: "1", flow_action_payload: { screen: "A", data: {} } }),
    ],
    ["another flow version", 100, "flow_message_version", flow({ flow_id: "1", flow_message_version: "2" })],
    [
      "a product with a header",
      100,
      "header",
      interactive({
        type: "product",
        header: { type: "text", text: "A" },
        action: { catalog_id: "c", product_retailer_id: "p" },
      }),
    ],
    [
      "a product list without a header",
      131008,
      "header",
      productList([{ product_items: products(1) }], { header: undefined }),
    ],
    [
      "31 products",
      131009,
      "at most 30 products",
      productList([
        { title: "A", product_items: products(16) },
        { title: "B", product_items: products(15) },
      ]),
    ],
    [
      "a location request with a footer",
      100,
      "footer",
      interactive({ type: "location_request_message", body, footer: { text: "A" }, action: { name: "send_location" } }),
    ],
    ["two cards with one card_index", 131009, "unique card_index", carousel([card(1), card(1)])],
    ["cards with different buttons", 131009, "same kinds", carousel([card(0), card(1, quickReplies("a"))])],
    ["products of two catalogs", 131009, "same kinds", carousel([productCard(0), productCard(1, "c2")])],
  ];

  test.each(refused)("%s is refused with code %i", async (_, code, details, send) => {
    expectRefused(await post(send), code, details);
  });
});
