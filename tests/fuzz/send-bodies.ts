import fc, { type Arbitrary } from "fast-check";
import { json, link, mostly, phone, record, text, type Vocabulary } from "./values";

const interactive = () => {
  const button = record({
    type: fc.constant("reply"),
    id: text,
    title: text,
    reply: record({ id: text, title: text }),
  });
  const section = record({
    title: text,
    rows: fc.array(record({ id: text, title: text, description: text }), { maxLength: 12 }),
  });
  return record({
    type: mostly(
      fc.constantFrom("button", "list", "cta_url", "flow", "product", "location_request_message", "address_message"),
    ),
    header: record({ type: fc.constantFrom("text", "image", "video"), text, image: record({ link, id: text }) }),
    body: mostly(fc.oneof(text, record({ text }))),
    footer: record({ text }),
    buttons: mostly(fc.array(button, { maxLength: 5 })),
    action: record({
      buttons: fc.array(button, { maxLength: 4 }),
      button: text,
      sections: fc.array(section, { maxLength: 3 }),
      name: text,
      parameters: json,
    }),
  });
};

/** Bodies of a send: whole ones, damaged ones, and any JSON. */
export const sendBodies = (words: Vocabulary): Arbitrary<unknown> => {
  const parameter = record({
    type: fc.constantFrom("text", "currency", "date_time", "image", "payload"),
    text,
    image: record({ link }),
    payload: text,
  });
  const component = record({
    type: fc.constantFrom("header", "body", "button", "carousel", "limited_time_offer"),
    sub_type: fc.constantFrom("url", "quick_reply", "copy_code", "flow"),
    index: mostly(fc.constantFrom("0", 0, 1, "9")),
    parameters: mostly(fc.array(parameter, { maxLength: 3 })),
    cards: fc.array(record({ card_index: fc.nat(12), components: json }), { maxLength: 3 }),
  });
  const card = record({
    index: mostly(fc.nat(11)),
    bodyValues: mostly(fc.oneof(fc.dictionary(text, text, { maxKeys: 4 }), fc.array(text, { maxLength: 3 }))),
    buttonValues: mostly(fc.array(record({ index: fc.nat(3), sub_type: text, parameters: json }), { maxLength: 2 })),
    header: record({ format: fc.constantFrom("image", "video", "IMAGE"), link, id: text }),
  });
  const common = {
    phone: mostly(phone),
    contactId: mostly(fc.constantFrom(words.contactId, "ct_none")),
    phoneNumberId: mostly(fc.constantFrom(words.phoneNumberId, words.whatsappPhoneNumberId, "pn_none")),
    idempotencyKey: mostly(fc.oneof(text, fc.constantFrom("key-1", "key-2"))),
    revalidateFlowSession: mostly(fc.boolean()),
  };
  const whole = fc.record({ type: fc.constant("text"), phone: fc.constant("447700900123"), content: text });
  return fc.oneof(
    whole,
    record({ ...common, type: fc.constant("text"), content: mostly(text) }),
    record({
      ...common,
      type: fc.constant("interactive"),
      content: mostly(interactive().map((value) => JSON.stringify(value))),
    }),
    record({
      ...common,
      type: fc.constant("template"),
      templateName: mostly(fc.constantFrom(...words.templates)),
      expectCategory: mostly(fc.constantFrom("UTILITY", "MARKETING")),
      templateLanguage: mostly(fc.constantFrom("en_US", "en", "EN-us", "de")),
      templateVariables: mostly(
        fc.dictionary(
          fc.oneof(text, fc.constantFrom("1", "2", "header_link", "c0_1", "c0_header_link")),
          fc.oneof(text, link),
          { maxKeys: 5 },
        ),
      ),
      bodyParameters: mostly(fc.array(fc.oneof(text, parameter), { maxLength: 3 })),
      templateComponents: mostly(fc.array(component, { maxLength: 3 })),
      carousel: mostly(record({ cards: fc.array(card, { maxLength: 4 }) })),
    }),
    json,
  );
};
