const body = { text: "Choose" };
const text = { type: "text", text: "Shop" };
const image = { type: "image", image: { link: "https://cdn.example/a.png" } };
const reply = (id: string, title: string) => ({ type: "reply", reply: { id, title } });
const quickReply = (id: string) => ({ type: "quick_reply", quick_reply: { id, title: "This one" } });
const link = { name: "cta_url", parameters: { display_text: "Track", url: "https://shop.example/t/42" } };
const product = { catalog_id: "1", product_retailer_id: "sku" };
const flow = {
  flow_message_version: "3",
  flow_id: "42",
  flow_cta: "Book",
  mode: "draft",
  flow_action: "navigate",
  flow_token: "a",
  flow_action_payload: { screen: "A", data: { day: 1 } },
};
const cards = (card: (index: number) => object) => [0, 1].map((index) => ({ card_index: index, ...card(index) }));

/** A message of each interactive type with all its parts, as WhatsApp takes it. */
export const INTERACTIVE_SAMPLES = {
  button: {
    type: "button",
    header: image,
    body,
    footer: { text: "Reply by noon" },
    action: { buttons: [reply("keep", "Keep"), reply("drop", "Cancel")] },
  },
  list: {
    type: "list",
    header: text,
    body,
    footer: { text: "Soon" },
    action: {
      button: "See times",
      sections: [
        { title: "Monday", rows: [{ id: "m9", title: "9:00", description: "North office" }] },
        { title: "Tuesday", rows: [{ id: "t9", title: "9:00" }] },
      ],
    },
  },
  cta_url: {
    type: "cta_url",
    header: { type: "document", document: { id: "1", filename: "a.pdf" } },
    body,
    footer: { text: "Soon" },
    action: link,
  },
  flow: {
    type: "flow",
    header: { type: "video", video: { id: "1" } },
    body,
    action: { name: "flow", parameters: flow },
  },
  product: { type: "product", body, footer: { text: "Soon" }, action: product },
  product_list: {
    type: "product_list",
    header: text,
    body,
    footer: { text: "Soon" },
    action: {
      catalog_id: "1",
      sections: [
        { title: "Lamps", product_items: [{ product_retailer_id: "sku" }] },
        { title: "Beds", product_items: [{ product_retailer_id: "sku" }] },
      ],
    },
  },
  catalog_message: {
    type: "catalog_message",
    body,
    footer: { text: "Soon" },
    action: { name: "catalog_message", parameters: { thumbnail_product_retailer_id: "sku" } },
  },
  location_request_message: { type: "location_request_message", body, action: { name: "send_location" } },
  linkCarousel: {
    type: "carousel",
    body,
    action: { cards: cards(() => ({ type: "cta_url", header: image, body: { text: "A lamp" }, action: link })) },
  },
  replyCarousel: {
    type: "carousel",
    body,
    action: {
      cards: cards((index) => ({
        type: "cta_url",
        header: { type: "video", video: { link: "https://cdn.example/a.mp4" } },
        action: { buttons: [quickReply(`a${index}`), quickReply(`b${index}`)] },
      })),
    },
  },
  productCarousel: { type: "carousel", body, action: { cards: cards(() => ({ type: "product", action: product })) } },
} as const;
