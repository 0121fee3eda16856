import { describe, expect, test } from "vitest";
import {
  body,
  button,
  card,
  carousel,
  coupon,
  header,
  image,
  send,
  sendTemplate,
  template,
  text,
  url,
} from "../support/sandbox-sends";

const ana = body(text("Ana"));
const payload = { type: "payload", payload: "no" };
const link = { link: "https://a.example/1.png" };

describe("a template send: 200", () => {
  const thumbnail = { thumbnail_product_retailer_id: "p" };
  const currency = { type: "currency", currency: { fallback_value: "€1", code: "EUR", amount_1000: 1000 } };
  const date = { type: "date_time", date_time: { fallback_value: "today" } };
  const order = [body(text("Ana"), text("A-42")), url("A-42")];
  const offer = {
    type: "limited_time_offer",
    parameters: [{ type: "limited_time_offer", limited_time_offer: { expiration_time_ms: 1_760_000_000_000 } }],
  };
  const valid: [string, string, unknown, string?][] = [
    ["body and URL button", "order_ready", order],
    ["the other language", "order_ready", order, "de"],
    ["a button index as number", "order_ready", [order[0], button("url", 0, text("A-42"))]],
    ["no variables, no components", "hello_world", undefined],
    ["a text header", "test_text", [header(text("Ana")), ana]],
    ["quick replies left out", "test_buttons", [body(text("9:00"))]],
    ["a quick reply's payload", "test_buttons", [body(text("9:00")), button("quick_reply", "2", payload)]],
    ["a coupon code, sub_type in upper case", "test_copy_code", [ana, { ...coupon("SAVE25"), sub_type: "COPY_CODE" }]],
    ["a catalog", "test_catalog", [ana, button("catalog", "0", { type: "action", action: thumbnail })]],
    ["three cards in any order", "test_carousel", carousel(card(2), card(0), card(1))],
    ["a media header by link", "test_media_header", [header({ type: "image", image: link }), ana]],
    ["named parameters in any order", "test_named", [body(text("A-42", "order_number"), text("Ana", "first_name"))]],
    ["currency and date", "order_ready", [body(currency, date), url("a")]],
    ["a limited-time offer", "x_offer", [offer]],
  ];

  test.each(valid)("%s", async (_, name, components, language) => {
    const answer = await send(sendTemplate(name, components, language ? { language } : {}));
    expect(answer).toMatchObject({ status: 200, body: { messages: [{ message_status: "accepted" }] } });
  });

  test("where two accounts have the name, fitting one of them is enough", async () => {
    const twins = [
      template("twin", [{ type: "BODY", text: "Hi {{1}} there" }], { id: "1" }),
      template("twin", [{ type: "BODY", text: "Hi" }], { id: "2" }),
    ];
    expect((await send(sendTemplate("twin"), { templates: async () => twins })).status).toBe(200);
  });
});

describe("a template send: refused", () => {
  const counted = (what: string, given: number, expected: string, count: number) =>
    `number of ${what} (${given}) does not match the expected number of ${expected} (${count})`;
  /** Of a template without any variable. */
  const surplus = (component: object) => sendTemplate("hello_world", [component]);
  const ready = (...components: object[]) => sendTemplate("order_ready", components);
  const media = (parameter: object) => sendTemplate("test_media_header", [header(parameter), ana]);
  const named = (...parameters: object[]) => sendTemplate("test_named", [body(...parameters)]);
  const cards = (...list: object[]) => sendTemplate("test_carousel", carousel(...list));
  const order = body(text("Ana"), text("A-42"));
  const english = sendTemplate("order_ready", [order, url("a")], { language: "en" });
  const toUserId = sendTemplate("x_otp", [body(text("123456"))], { recipient: "GB.1349120" });
  const noUrl = card(1, [header(image), body(text("a"))]);
  const noImage = card(0, [body(text("a")), url("a")]);
  const refused: [string, number, string, object][] = [
    ["an unknown name", 132001, "(nope)", sendTemplate("nope")],
    ["a language that is not exactly approved", 132001, "en", english],
    ["a pending template", 132001, "test_pending", sendTemplate("test_pending")],
    ["a rejected template", 132001, "test_rejected", sendTemplate("test_rejected")],
    ["a paused template", 132015, "paused", sendTemplate("test_paused")],
    ["a disabled template", 132016, "disabled", sendTemplate("x_disabled")],
    ["too few body parameters", 132000, `body: ${counted("localizable_params", 1, "params", 2)}`, ready(ana, url("a"))],
    ["no components at all", 132000, "body: number of localizable_params (0)", sendTemplate("order_ready")],
    ["surplus body parameters", 132000, "(1) does not match the expected number of params (0)", surplus(ana)],
    ["a header that the template lacks", 132000, "header: number", ready(header(image), order, url("a"))],
    ["a static header's parameter", 132000, "header: number", surplus(header(text("a")))],
    ["no parameter for a dynamic URL", 131008, "buttons: Button at index 0 of type Url requires", ready(order)],
    ["no coupon code", 131008, "of type CopyCode requires a parameter", sendTemplate("test_copy_code", [ana])],
    ["no products", 131008, "type Mpm", sendTemplate("x_mpm")],
    ["a static URL's parameter", 132000, "buttons: number", sendTemplate("x_static", [url("a")])],
    ["two parameters of one button", 132000, "buttons: number", ready(order, button("url", "0", text("a"), text("b")))],
    ["a button twice", 131009, "given twice", ready(order, url("a"), url("b"))],
    ["a button that the template lacks", 131009, "index 1", ready(order, url("a"), button("url", "1", text("b")))],
    ["a button index of 10", 131009, "0 to 9", ready(order, button("url", "10", text("b")))],
    ["another button's sub_type", 132012, "sub_type quick_reply", ready(order, button("quick_reply", "0", text("a")))],
    ["an unknown sub_type", 100, "sub_type", ready(order, button("link", "0", text("a")))],
    ["a payload for a URL", 132012, "expected TEXT, received PAYLOAD", ready(order, button("url", "0", payload))],
    ["an image in the body", 132012, "body: Format mismatch, expected TEXT", ready(body(text("a"), image), url("a"))],
    ["a text for a media header", 132012, "header: Format mismatch, expected IMAGE, received TEXT", media(text("a"))],
    ["no media for a media header", 132012, "received UNKNOWN", sendTemplate("test_media_header", [ana])],
    ["an unknown parameter type", 100, "['parameters'][0]['type']", ready(body({ type: "emoji" }, text("a")))],
    ["an unknown component type", 100, "['components'][0]['type']", ready({ type: "footer", parameters: [] })],
    ["a component type in upper case", 100, "['components'][0]['type']", ready({ ...order, type: "BODY" }, url("a"))],
    ["a newline", 132018, "new-line", ready(body(text("a\nb"), text("c")), url("a"))],
    ["five spaces in a row", 132018, "4 consecutive spaces", ready(body(text("a     b"), text("c")), url("a"))],
    ["an empty parameter", 131008, "empty", ready(body(text(""), text("c")), url("a"))],
    ["a filled-in body over 1024", 132005, "at most 1024", ready(body(text("x".repeat(1020)), text("c")), url("a"))],
    ["a header media handle", 131009, "digits only", media({ type: "image", image: { id: "4::aW" } })],
    ["header media with id and link", 131009, "not both", media({ type: "image", image: { id: "1", ...link } })],
    ["two body components", 131009, "twice", ready(order, order, url("a"))],
    ["no expiry of a limited-time offer", 131008, "expiration_time_ms", sendTemplate("x_offer")],
    ["an authentication template to a user id", 131062, "phone number", toUserId],
    ["named parameters without names", 100, "Parameter name is missing", named(text("a"), text("b"))],
    ["an unknown parameter name", 100, "(nope)", named(text("a", "nope"), text("b", "first_name"))],
    ["one parameter name twice", 100, "twice", named(text("a", "first_name"), text("b", "first_name"))],
    ["no carousel", 132000, counted("cards", 0, "cards", 3), sendTemplate("test_carousel", [ana])],
    ["two of three cards", 132000, "number of cards (2)", cards(card(0), card(1))],
    ["a carousel that the template lacks", 132000, "cards (1)", surplus({ type: "carousel", cards: [card(0)] })],
    ["one card_index twice", 131009, "unique card_index", cards(card(0), card(1), card(1))],
    ["a card_index that the template lacks", 131009, "card_index 3", cards(card(0), card(1), card(3))],
    ["no card_index", 131008, "card_index", cards({ components: [] }, card(1), card(2))],
    ["no URL's value", 131008, "carousel: card 1: buttons: Button at index 0", cards(card(0), noUrl, card(2))],
    ["a card without its image", 132012, "carousel: card 0: header", cards(noImage, card(1), card(2))],
    ["no language", 131008, "language", { ...sendTemplate("a"), template: { name: "a" } }],
    ["a name in capitals", 131009, "lower-case", sendTemplate("Order")],
  ];

  test.each(refused)("%s: code %i", async (_, code, details, request) => {
    const answer = await send(request);
    expect(answer.body.error).toMatchObject({ code, error_data: { details: expect.stringContaining(details) } });
    expect(answer.status).toBe(code === 132001 ? 404 : 400);
  });

  test("acceptUnknownTemplates lets an unknown name pass, not an unknown language of a known one", async () => {
    expect((await send(sendTemplate("nope"), { acceptUnknownTemplates: true })).status).toBe(200);
    const french = await send(sendTemplate("order_ready", [], { language: "fr" }), { acceptUnknownTemplates: true });
    expect(french.body.error.code).toBe(132001);
  });
});
