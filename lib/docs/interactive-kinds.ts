import { ENTRIES, MAX_CARD_LINE_BREAKS, MAX_CHARACTERS, MAX_INDEX } from "@/lib/whatsapp/limits";
import { CATALOG_KINDS } from "./catalog-kinds";
import {
  BUTTON_ID,
  characters,
  entries,
  HEADER,
  HEADER_TEXT,
  type InteractiveKind,
  LABEL,
  TEXTS,
} from "./interactive-kind";

const image = { type: "image", image: { link: "https://cdn.example/lamp.png" } };
const link = { name: "cta_url", parameters: { display_text: "Track", url: "https://shop.example/t/8812" } };
const card = (card_index: number, text: string) => ({
  card_index,
  type: "cta_url",
  header: image,
  body: { text },
  action: { name: "cta_url", parameters: { display_text: "See it", url: `https://shop.example/p/${card_index}` } },
});

/** Every kind that a send accepts, the most usual first. */
export const INTERACTIVE_KINDS: readonly InteractiveKind[] = [
  {
    id: "button",
    title: "Reply buttons",
    lead: "Up to three answers to tap.",
    limits: {
      header: HEADER,
      ...TEXTS,
      buttons: entries(ENTRIES.buttons),
      "buttons[].id": BUTTON_ID,
      "buttons[].title": `${LABEL}, unique`,
    },
    short: {
      type: "button",
      body: "Pick it up today?",
      footer: "Open until 18:00",
      buttons: [
        { id: "today", title: "Today" },
        { id: "later", title: "Later" },
      ],
    },
    full: {
      type: "button",
      body: { text: "Pick it up today?" },
      footer: { text: "Open until 18:00" },
      action: {
        buttons: [
          { type: "reply", reply: { id: "today", title: "Today" } },
          { type: "reply", reply: { id: "later", title: "Later" } },
        ],
      },
    },
    answer: {
      words: "The title and the id of the button.",
      event: { type: "button", text: "Today", payload: "today" },
    },
  },
  {
    id: "list",
    title: "List",
    lead: "A menu of up to ten rows behind one button.",
    limits: {
      header: HEADER_TEXT,
      body: `Required. ${characters(MAX_CHARACTERS.listBody)}.`,
      footer: TEXTS.footer,
      button: LABEL,
      sections: `${entries(ENTRIES.sections)}, with ${entries(ENTRIES.rows)} rows in all`,
      "sections[].title": `${characters(MAX_CHARACTERS.sectionTitle)}; required with several sections`,
      "rows[].id": `${characters(MAX_CHARACTERS.rowId)}, unique`,
      "rows[].title": characters(MAX_CHARACTERS.rowTitle),
      "rows[].description": characters(MAX_CHARACTERS.rowDescription),
    },
    short: {
      type: "list",
      body: "When shall we deliver?",
      button: "See times",
      sections: [
        {
          title: "Monday",
          rows: [
            { id: "mon-9", title: "9:00", description: "Front door" },
            { id: "mon-14", title: "14:00" },
          ],
        },
      ],
    },
    full: {
      type: "list",
      body: { text: "When shall we deliver?" },
      action: {
        button: "See times",
        sections: [
          {
            title: "Monday",
            rows: [
              { id: "mon-9", title: "9:00", description: "Front door" },
              { id: "mon-14", title: "14:00" },
            ],
          },
        ],
      },
    },
    answer: {
      words: "The title and the id of the row.",
      event: { type: "list", text: "9:00", payload: "mon-9" },
    },
  },
  {
    id: "cta_url",
    title: "Link button",
    lead: "One button that opens a page. People see its label, not the URL.",
    limits: { header: HEADER, ...TEXTS, display_text: LABEL, url: "The whole URL, with `http://` or `https://`" },
    short: {
      type: "cta_url",
      body: "Your order is on its way.",
      display_text: "Track",
      url: "https://shop.example/t/8812",
    },
    full: { type: "cta_url", body: { text: "Your order is on its way." }, action: link },
    answer: { words: "Nothing: opening a link is not reported." },
  },
  {
    id: "location_request_message",
    title: "Location request",
    lead: "A button to share where one is.",
    limits: { body: TEXTS.body },
    full: {
      type: "location_request_message",
      body: { text: "Where shall we deliver?" },
      action: { name: "send_location" },
    },
    answer: {
      words: "`type` is `location`, and the place is in `location`.",
      event: {
        type: "location",
        text: null,
        payload: null,
        location: { latitude: 51.5, longitude: -0.12, name: null, address: null, url: null },
      },
    },
  },
  {
    id: "address_message",
    title: "Address",
    lead: "A form for a postal address. WhatsApp offers it for lines and people in India and Singapore.",
    limits: {
      body: TEXTS.body,
      country: "`IN` or `SG`",
      values: "What is filled in already",
    },
    full: {
      type: "address_message",
      body: { text: "Where shall we send it?" },
      action: { name: "address_message", parameters: { country: "IN", values: { name: "Ada" } } },
    },
    answer: {
      words: "Arrives as the answer of a form, with the address as JSON.",
      event: { type: "flow", text: "Sent", payload: '{"values":{"in_pin_code":"400063"}}' },
    },
  },
  {
    id: "flow",
    title: "Flow",
    lead: "A form of your own, which you build in WhatsApp Manager.",
    limits: {
      header: HEADER,
      ...TEXTS,
      flow_cta: `${characters(MAX_CHARACTERS.flowButton)}, no emoji`,
      flow_message_version: '`"3"`',
      "flow_id or flow_name": "Exactly one of them",
      mode: "`published`, or `draft` for a test",
      flow_action: "`navigate` or `data_exchange`",
      flow_action_payload: "`screen`, and `data` with at least one field",
    },
    full: {
      type: "flow",
      body: { text: "Book your fitting." },
      action: {
        name: "flow",
        parameters: {
          flow_message_version: "3",
          flow_id: "1234567890",
          flow_cta: "Book",
          flow_token: "order-8812",
          flow_action: "navigate",
          flow_action_payload: { screen: "DAY", data: { day: "Monday" } },
        },
      },
    },
    answer: {
      words: "What the form’s last screen returned, as JSON.",
      event: { type: "flow", text: "Sent", payload: '{"flow_token":"order-8812","day":"Monday"}' },
    },
  },
  ...CATALOG_KINDS,
  {
    id: "request_contact_info",
    title: "Contact request",
    lead: "A button to share one’s phone number. It is for people whose user name hides it.",
    limits: { body: TEXTS.body },
    full: {
      type: "request_contact_info",
      body: { text: "May the courier call you?" },
      action: { name: "request_contact_info" },
    },
    answer: {
      words:
        "`type` is `contacts`, and `payload` the contact card as JSON. From then on sends by `contactId` may use the number.",
      event: { type: "contacts", text: null, payload: '[{"phones":[{"wa_id":"447700900003"}]}]' },
    },
  },
  {
    id: "voice_call",
    title: "Voice call",
    lead: "A button that calls your line. The line must have calls enabled at WhatsApp.",
    limits: {
      body: TEXTS.body,
      display_text: LABEL,
      ttl_minutes: "How long the button works",
    },
    full: {
      type: "voice_call",
      body: { text: "Questions about your order?" },
      action: { name: "voice_call", parameters: { display_text: "Call us", ttl_minutes: 1440 } },
    },
    answer: { words: "Nothing here: the call itself goes to the program that takes calls of the line." },
  },
  {
    id: "call_permission_request",
    title: "Call permission",
    lead: "Asks whether you may call. The line must have calls enabled at WhatsApp.",
    limits: { body: TEXTS.body },
    full: {
      type: "call_permission_request",
      body: { text: "May we call you about your order?" },
      action: { name: "call_permission_request" },
    },
    answer: {
      words: "`text` is `accept` or `reject`, and `payload` says until when.",
      event: { type: "call_permission_reply", text: "accept", payload: '{"response":"accept"}' },
    },
  },
  {
    id: "carousel",
    title: "Carousel",
    lead: "Cards to swipe, each with a picture and its own button. Cards may have links, quick replies or products, and all the same kind.",
    limits: {
      body: TEXTS.body,
      cards: entries(ENTRIES.cards),
      "cards[].card_index": `0 to ${MAX_INDEX}, unique`,
      "cards[].header": "`image` or `video`, by `link` or `id`",
      "cards[].body": `${characters(MAX_CHARACTERS.cardBody)}, at most ${MAX_CARD_LINE_BREAKS} line breaks`,
      "quick_reply.id": BUTTON_ID,
      "quick_reply.title": LABEL,
    },
    full: {
      type: "carousel",
      body: { text: "Two lamps for your desk." },
      action: { cards: [card(0, "A small lamp"), card(1, "A tall lamp")] },
    },
    answer: {
      words: "A quick reply arrives as a reply button does; a link reports nothing.",
      event: { type: "button", text: "This one", payload: "lamp-1" },
    },
  },
];
