import { describe, expect, test } from "vitest";
import { INTERACTIVE_SAMPLES as SAMPLES } from "../support/interactive-samples";
import { expectRefused, post } from "../support/sandbox-requests";

const envelope = { messaging_product: "whatsapp", recipient_type: "individual", to: "+447700900123" };
const message = (type: string, content: unknown, more: object = {}) => ({
  ...envelope,
  type,
  [type]: content,
  ...more,
});

const interactive = (content: object) => message("interactive", content);
const buttons = (...some: [id: string, title: string][]) =>
  interactive({
    ...SAMPLES.button,
    action: { buttons: some.map(([id, title]) => ({ type: "reply", reply: { id, title } })) },
  });
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ id: `r${from + n}`, title: `Row ${from + n}` }));
const list = (...sections: object[]) => interactive({ ...SAMPLES.list, action: { button: "See", sections } });
const products = (count: number) => Array.from({ length: count }, () => ({ product_retailer_id: "sku" }));
const productList = (...lists: object[][]) => {
  const sections = lists.map((product_items) => ({ title: "A", product_items }));
  return interactive({ ...SAMPLES.product_list, action: { catalog_id: "1", sections } });
};
const titled = (some: object[]) => ({ title: "A", rows: some });
const cards = (...some: object[]) => interactive({ ...SAMPLES.linkCarousel, action: { cards: some } });
const [card] = SAMPLES.linkCarousel.action.cards;
const ofCatalog = (catalog_id: string) => ({ catalog_id, product_retailer_id: "sku" });
const productCard = (card_index: number, id: string) => ({ card_index, type: "product", action: ofCatalog(id) });

describe("200", () => {
  const language = { code: "de", policy: "deterministic" };
  const valid: [string, object][] = [
    ["text of 4096 characters, emoji counted once", message("text", { body: "🙂".repeat(4096), preview_url: true })],
    ["text with separators in the number", message("text", { body: "Hi" }, { to: "+44 (7700) 900-123" })],
    ["text to a business-scoped user id", message("text", { body: "Hi" }, { to: undefined, recipient: "GB.1349120" })],
    ["text that quotes", message("text", { body: "Hi" }, { context: { message_id: "wamid.x" } })],
    ["image by id", message("image", { id: "7790001", caption: "Hi" })],
    ["video by link", message("video", { link: "https://a.example/v.mp4" })],
    ["audio", message("audio", { id: "1", voice: true })],
    ["document", message("document", { id: "1", filename: "a.pdf", caption: "Hi" })],
    ["sticker", message("sticker", { id: "1" })],
    ["location", message("location", { latitude: 51.5, longitude: -0.1, name: "London" })],
    ["contacts", message("contacts", [{ name: { formatted_name: "Ana", first_name: "Ana" }, phones: [] }])],
    ["reaction", message("reaction", { message_id: "wamid.x", emoji: "👍" })],
    ["a special programme's interactive type", interactive({ type: "address_message", anything: true })],
    ["unknown template, right in shape", message("template", { name: "a", language })],
  ];

  test.each(valid)("%s is accepted with a message id", async (_, send) => {
    const answer = await post(send);
    expect(answer.body).toMatchObject({
      messaging_product: "whatsapp",
      messages: [{ id: expect.stringMatching(/^wamid\.HBgL[\w+/]{40}$/) }],
    });
    expect(answer.status).toBe(200);
  });

  test("the answer holds the input as it came and the normalised number; only templates have a message_status", async () => {
    const text = await post(message("text", { body: "Hi" }, { to: "+44 7700 900123" }));
    expect(text.body.contacts).toEqual([{ input: "+44 7700 900123", wa_id: "447700900123" }]);
    expect(text.body.messages[0]).not.toHaveProperty("message_status");
    const template = await post(message("template", { name: "a", language: { code: "en" } }));
    expect(template.body.messages[0].message_status).toBe("accepted");
  });

  test("a send by user id is answered with that id and no number", async () => {
    const answer = await post(message("text", { body: "Hi" }, { to: undefined, recipient: "GB.1349120" }));
    expect(answer.body.contacts).toEqual([{ input: "GB.1349120", user_id: "GB.1349120" }]);
  });

  test("a read receipt is a success without a message", async () => {
    const read = { messaging_product: "whatsapp", status: "read", message_id: "wamid.x" };
    expect(await post({ ...read, typing_indicator: { type: "text" } })).toEqual({
      status: 200,
      body: { success: true },
    });
  });
});

describe("400", () => {
  const text = { body: "Hi" };
  const refused: [string, number, string, unknown][] = [
    ["a body that is not JSON", 100, "not valid JSON", "{"],
    ["no messaging_product", 100, "messaging_product", { ...message("text", text), messaging_product: undefined }],
    ["another messaging_product", 100, "messaging_product", message("text", text, { messaging_product: "sms" })],
    ["neither to nor recipient", 100, "to is required", message("text", text, { to: undefined })],
    ["a number as to", 100, "to must be a string", message("text", text, { to: 447700900123 })],
    ["too many digits in to", 131009, "phone number", message("text", text, { to: "+4477009001234567" })],
    ["a recipient that is no user id", 131009, "recipient", message("text", text, { to: undefined, recipient: "12" })],
    ["no type", 131008, "The parameter type is required", { ...envelope, text }],
    ["an unknown type", 131051, "must be one of", message("fax", text)],
    ["an unknown field", 100, 'Unexpected key "txt"', message("text", text, { txt: 1 })],
    ["an unknown field of the content", 100, `"preview" on param "text"`, message("text", { ...text, preview: true })],
    ["no content", 131008, "The parameter text is required", { ...envelope, type: "text" }],
    ["content that is no object", 100, "text must be a JSON object", message("text", "Hi")],
    ["an empty text", 131008, "text['body'] must not be empty", message("text", { body: " " })],
    ["media without id or link", 131008, "needs id or link", message("image", {})],
    ["media with id and link", 131009, "not both", message("image", { id: "1", link: "https://a.example" })],
    ["a handle as media id", 131009, "digits only", message("image", { id: "4::aW1h" })],
    ["a link that is no address", 131009, "URL", message("image", { link: "ftp://a.example" })],
    ["a caption for a sticker", 100, "caption", message("sticker", { id: "1", caption: "Hi" })],
    ["a location without a longitude", 131008, "longitude", message("location", { latitude: 1 })],
    ["no contacts", 131009, "contacts", message("contacts", [])],
    // Of one place alone unit/interactive-agreement finds what our API refuses, too; these are of several.
    ["interactive without a type", 131008, "interactive['type']", interactive({ body: text })],
    ["an unknown interactive type", 131009, "poll", interactive({ type: "poll", body: text })],
    ["an unknown header type", 100, "header", interactive({ ...SAMPLES.button, header: { type: "gif" } })],
    ["a long button title", 131009, "['title'] must be at most 20", buttons(["a", "x".repeat(21)])],
    ["two buttons with one id", 131009, "unique ids", buttons(["a", "A"], ["a", "B"])],
    ["two buttons with one title", 131009, "unique titles", buttons(["a", "A"], ["b", "A"])],
    ["11 rows in two sections", 131009, "at most 10 rows", list(titled(rows(6)), titled(rows(5, 6)))],
    ["two sections, one without a title", 131008, "title", list(titled(rows(1)), { rows: rows(1, 1) })],
    ["two rows with one id", 131009, "unique ids", list(titled(rows(1)), titled(rows(1)))],
    ["31 products", 131009, "at most 30 products", productList(products(16), products(15))],
    ["two cards with one card_index", 131009, "unique card_index", cards({ ...card }, { ...card })],
    ["products of two catalogs", 131009, "same kinds", cards(productCard(0, "1"), productCard(1, "2"))],
    ["cards with different buttons", 131009, "same kinds", cards({ ...card }, productCard(1, "1"))],
    ["a read receipt without a message", 131008, "message_id", { messaging_product: "whatsapp", status: "read" }],
  ];

  test.each(refused)("%s is refused with code %i", async (_, code, details, send) => {
    expectRefused(await post(send), code, details);
  });
});
