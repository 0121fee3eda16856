import { describe, expect, test } from "vitest";
import type { Issue } from "@/lib/core/app-error";
import { issuesThrownBy } from "@/lib/http/issues";
import { readInteractive } from "@/lib/messages/send/interactive";

const issuesOf = (content: unknown): Issue[] => {
  const issues = issuesThrownBy(() => void readInteractive(content));
  for (const { message } of issues) expect(message.length).toBeLessThanOrEqual(280);
  return issues;
};
const pathsOf = (content: unknown) => issuesOf(content).map(({ path }) => path);

const body = { text: "Keep the slot?" };
const reply = (id: string, title: string) => ({ type: "reply", reply: { id, title } });
const rows = (count: number, prefix = "r") =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, title: `Row ${index}` }));
const linkAction = (url = "https://shop.example/t/42") => ({
  name: "cta_url",
  parameters: { display_text: "Track", url },
});
const FLOW = { flow_message_version: "3", flow_id: "1", flow_cta: "Book" };
const image = { type: "image", image: { link: "https://cdn.example/a.png" } };

describe("short forms become WhatsApp's full object", () => {
  test("button: plain body, header and footer, and buttons of id and title beside WhatsApp's own", () => {
    const short = {
      type: "button",
      header: "Hello",
      body: "Keep the slot?",
      footer: "Reply by noon",
      buttons: [{ id: "keep", title: "Keep" }, reply("drop", "Cancel"), { type: "reply", id: "later", title: "Later" }],
    };
    expect(readInteractive(short)).toEqual({
      type: "button",
      header: { type: "text", text: "Hello" },
      body,
      footer: { text: "Reply by noon" },
      action: { buttons: [reply("keep", "Keep"), reply("drop", "Cancel"), reply("later", "Later")] },
    });
  });

  test("list and cta_url", () => {
    const sections = [{ rows: rows(1) }];
    expect(readInteractive({ type: "list", body, button: "See times", sections })).toEqual({
      type: "list",
      body,
      action: { button: "See times", sections },
    });
    for (const label of ["display_text", "displayText"]) {
      expect(readInteractive({ type: "cta_url", body: "Go", [label]: "Track", url })).toEqual({
        type: "cta_url",
        body: { text: "Go" },
        action: linkAction(),
      });
    }
  });

  test("the full object comes back as it was, fields that are new to us included", () => {
    const full = { type: "button", body, action: { buttons: [reply("a", "A")], future: 1 }, new_field: true };
    expect(readInteractive(full)).toEqual(full);
  });

  const { url } = linkAction().parameters;
  test.each<[action: object, key: string, right: string]>([
    [{ name: "cta_url", parameters: { displayText: "Track", url } }, "displayText", "display_text"],
    [{ name: "flow", parameters: { ...FLOW, flowToken: "t" } }, "flowToken", "flow_token"],
  ])("another spelling in %j is one fault that names WhatsApp's key", (action, key, right) => {
    const path = `content.action.parameters.${key}`;
    expect(issuesOf({ type: Reflect.get(action, "name"), body, action })).toEqual([
      { path, message: `\`${path}\` is not a field of WhatsApp's. Did you mean \`${right}\`?` },
    ]);
  });

  test("a type that is new to us passes untouched", () => {
    const content = { type: "address_message", body: null, anything: [1] };
    expect(readInteractive(content)).toBe(content);
  });

  test.each([[[]], ["text"], [null], [{}], [{ type: 7 }]])("%j is no interactive message", (content) => {
    expect(issuesOf(content)).toHaveLength(1);
  });
});

test.each([
  ["`content.body` is required. It must be an object with `text`.", { body: undefined }],
  ["`content.body.text` must be a string of 1 to 1024 characters, not null.", { body: { text: null } }],
  ["`content.body` is empty. It must be a string of 1 to 1024 characters.", { body: " " }],
  [`"${"x".repeat(40)}…" is 61 characters, the limit is 60. Shorten it.`, { footer: "x".repeat(61) }],
  ["`content.header` must be an object with `type`, not a number.", { header: 7 }],
  ['`content.header.type` must be "text" or "image" or "video" or "document", not "gif".', { header: { type: "gif" } }],
  ["`content.header.image` is required. It must be an object with `id`, `link`.", { header: { type: "image" } }],
  ["`content.header.image.id` must be a string, not a number.", { header: { type: "image", image: { id: 7 } } }],
  [
    "`content.header.image.link` must be an http:// or https:// URL, not an object.",
    { header: { type: "image", image: { link: {} } } },
  ],
  ["`content.buttons` is required. It must be an array of 1 to 3 buttons.", { buttons: undefined }],
  ["`content.buttons` has 0 buttons; it must have 1 to 3.", { buttons: [] }],
])("%s", (message, changed) => {
  const [issue] = issuesOf({ type: "button", body: "Keep?", buttons: [{ id: "a", title: "A" }], ...changed });
  expect(issue?.message).toBe(message);
});

describe("every broken limit is named at once, under the path the caller wrote", () => {
  const tooLong = "x".repeat(21);

  test("button, short form", () => {
    const content = {
      type: "button",
      body: "x".repeat(1025),
      footer: "x".repeat(61),
      buttons: [{ id: "a", title: tooLong }, { id: "a" }, reply(" b", "B"), { id: "c", title: "B" }],
    };
    expect(pathsOf(content)).toEqual([
      "content.body",
      "content.footer",
      "content.buttons[0].title",
      "content.buttons[1].title",
      "content.buttons[2].reply.id",
      "content.buttons",
      "content.buttons[1].id",
      "content.buttons[3].title",
    ]);
  });

  test("button, full form", () => {
    const content = {
      type: "button",
      header: { type: "text", text: "x".repeat(61) },
      body: {},
      action: { buttons: [reply("a", tooLong), reply("a", "A")] },
    };
    expect(pathsOf(content)).toEqual([
      "content.header.text",
      "content.body.text",
      "content.action.buttons[0].reply.title",
      "content.action.buttons[1].reply.id",
    ]);
  });

  test("list", () => {
    const content = {
      type: "list",
      header: image,
      body: "x".repeat(4096),
      button: tooLong,
      sections: [
        { title: "x".repeat(25), rows: rows(6) },
        { rows: [...rows(4), { id: "x".repeat(201), title: "x".repeat(25), description: "x".repeat(73) }] },
      ],
    };
    expect(pathsOf(content)).toEqual([
      "content.header.type",
      "content.button",
      "content.sections[0].title",
      "content.sections[1].rows[4].id",
      "content.sections[1].rows[4].title",
      "content.sections[1].rows[4].description",
      "content.sections[1].title",
      ...[0, 1, 2, 3].map((row) => `content.sections[1].rows[${row}].id`),
      "content.sections",
    ]);
  });

  test.each(["ftp://shop.example", "javascript:alert(1)", "shop.example", "https://a b", 7, undefined])(
    "cta_url: %s is no web address",
    (url) => {
      expect(pathsOf({ type: "cta_url", body, displayText: tooLong, url })).toEqual([
        "content.displayText",
        "content.url",
      ]);
    },
  );

  test("flow", () => {
    const parameters = { ...FLOW, flow_action_payload: { screen: "A", data: { a: 1 } } };
    const flow = (changed: object) => ({
      type: "flow",
      body,
      action: { name: "flow", parameters: { ...parameters, ...changed } },
    });
    const below = (path: string) => `content.action.parameters${path}`;
    expect(pathsOf(flow({}))).toEqual([]);
    expect(pathsOf(flow({ flow_name: "booking" }))).toEqual([below("")]);
    expect(pathsOf(flow({ flow_token: 7 }))).toEqual([below(".flow_token")]);
    expect(pathsOf(flow({ flow_id: undefined }))).toEqual([below("")]);
    const wrong = { flow_message_version: "4", flow_cta: "Book 📅", flow_action_payload: { data: {} } };
    expect(pathsOf(flow(wrong))).toEqual(
      [".flow_message_version", ".flow_cta", ".flow_action_payload.data"].map(below),
    );
  });

  test("products", () => {
    const action = { catalog_id: "1", product_retailer_id: "sku" };
    expect(pathsOf({ type: "product", action })).toEqual([]);
    expect(pathsOf({ type: "product", header: image, action: {} })).toEqual([
      "content.header",
      "content.action.catalog_id",
      "content.action.product_retailer_id",
    ]);
    const items = (count: number) => Array.from({ length: count }, () => ({ product_retailer_id: "sku" }));
    const sections = [{ product_items: items(20) }, { product_items: items(11) }];
    expect(pathsOf({ type: "product_list", body, action: { catalog_id: "1", sections } })).toEqual([
      "content.header",
      "content.action.sections",
    ]);
    expect(pathsOf({ type: "catalog_message", body, action: { name: "catalog_message" } })).toEqual([]);
  });

  test("location request", () => {
    const content = { type: "location_request_message", body, footer: "no", action: { name: "send_location" } };
    expect(pathsOf(content)).toEqual(["content.footer"]);
  });

  test("media headers take exactly one of id and link", () => {
    const buttons = [{ id: "a", title: "A" }];
    const withHeader = (media: object) => ({ type: "button", header: { type: "image", image: media }, body, buttons });
    expect(pathsOf(withHeader({ id: "7790001" }))).toEqual([]);
    expect(pathsOf(withHeader({}))).toEqual(["content.header.image"]);
    expect(pathsOf(withHeader({ id: "7790001", link: "https://cdn.example/a.png" }))).toEqual(["content.header.image"]);
    expect(pathsOf(withHeader({ id: "4::aW1h" }))).toEqual(["content.header.image.id"]);
    expect(pathsOf(withHeader({ link: "a.png" }))).toEqual(["content.header.image.link"]);
  });

  test("carousel", () => {
    const link = { type: "cta_url", header: image, action: linkAction() };
    const card = (card_index: unknown, changed: object = {}) => ({ card_index, ...link, ...changed });
    const carousel = (...cards: unknown[]) => ({ type: "carousel", body, action: { cards } });
    const quick = { buttons: [{ type: "quick_reply", quick_reply: { id: "a", title: "A" } }] };
    expect(pathsOf(carousel(card(0), card(1, { body: { text: "a\nb\nc" } })))).toEqual([]);
    expect(pathsOf(carousel(card(0, { action: quick }), card(1, { action: quick })))).toEqual([]);
    expect(pathsOf(carousel(card(0)))).toEqual(["content.action.cards"]);
    expect(pathsOf(carousel(card(0), card(0), card(10), card("3")))).toEqual([
      "content.action.cards[2].card_index",
      "content.action.cards[3].card_index",
      "content.action.cards[1].card_index",
    ]);
    expect(pathsOf(carousel(card(0), card(1, { action: quick, body: { text: "a\nb\nc\nd" } })))).toEqual([
      "content.action.cards[1].body.text",
      "content.action.cards[1]",
    ]);
    const product = (card_index: number, catalog_id: string) => ({
      card_index,
      type: "product",
      action: { catalog_id, product_retailer_id: "sku" },
    });
    expect(pathsOf(carousel(product(0, "1"), product(1, "1")))).toEqual([]);
    expect(pathsOf(carousel(product(0, "1"), product(1, "2")))).toEqual(["content.action.cards[1]"]);
  });
});

test("lengths are counted in code points", () => {
  expect(pathsOf({ type: "button", body, buttons: [{ id: "a", title: "😀".repeat(20) }] })).toEqual([]);
});
