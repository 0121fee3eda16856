import { describe, expect, test } from "vitest";
import {
  type ButtonParameter,
  type HeaderParameter,
  type OutboundMessage,
  type TemplateComponent,
  toGraphMessage,
} from "@/lib/whatsapp/message-payload";

const bytesOf = (message: OutboundMessage) => JSON.stringify(toGraphMessage(message, { messageId: "msg_1" }));
const envelope = (rest: string) =>
  `{"messaging_product":"whatsapp","recipient_type":"individual","to":"+447700900123",${rest},"biz_opaque_callback_data":"msg_1"}`;
const template = (components: { built: TemplateComponent[] } | { given: unknown[] }): OutboundMessage => ({
  to: "447700900123",
  type: "template",
  name: "order_ready",
  language: "en_US",
  components,
});
const componentBytes = (component: TemplateComponent) => {
  const bytes = bytesOf(template({ built: [component] }));
  return bytes.slice(bytes.indexOf('"components":[') + 14, bytes.lastIndexOf("]}"));
};

describe("a message in WhatsApp's words", () => {
  test("a text goes out without a preview, to the number with its plus sign", () => {
    expect(bytesOf({ to: "447700900123", type: "text", text: "Your order is ready. 📦" })).toBe(
      envelope('"type":"text","text":{"preview_url":false,"body":"Your order is ready. 📦"}'),
    );
  });

  test("an interactive object goes out as it was given, in its own key order", () => {
    const interactive = {
      type: "button",
      body: { text: "Keep?" },
      action: { buttons: [{ type: "reply", reply: { id: "k", title: "Keep" } }] },
    };
    expect(bytesOf({ to: "447700900123", type: "interactive", interactive })).toBe(
      envelope(`"type":"interactive","interactive":${JSON.stringify(interactive)}`),
    );
  });

  test("a template without parameters has no components", () => {
    expect(bytesOf(template({ built: [] }))).toBe(
      envelope('"type":"template","template":{"name":"order_ready","language":{"code":"en_US"}}'),
    );
  });

  test.each([[[]], [[{ type: "BODY", anything: [{ nested: null }] }]]])(
    "given components go out untouched: %j",
    (given) => {
      expect(bytesOf(template({ given }))).toBe(
        envelope(
          `"type":"template","template":{"name":"order_ready","language":{"code":"en_US"},"components":${JSON.stringify(given)}}`,
        ),
      );
    },
  );
});

describe("built components", () => {
  test("a body holds its parameters in order, named ones with their name", () => {
    expect(componentBytes({ type: "body", parameters: [{ text: "Ana" }, { text: "A-42", name: "order" }] })).toBe(
      '{"type":"body","parameters":[{"type":"text","text":"Ana"},{"type":"text","parameter_name":"order","text":"A-42"}]}',
    );
  });

  test.each<[HeaderParameter, string]>([
    [{ kind: "text", parameter: { text: "Ana" } }, '{"type":"text","text":"Ana"}'],
    [{ kind: "media", format: "image", whatsappMediaId: "779" }, '{"type":"image","image":{"id":"779"}}'],
    [{ kind: "media", format: "video", whatsappMediaId: "779" }, '{"type":"video","video":{"id":"779"}}'],
    [{ kind: "media", format: "document", whatsappMediaId: "779" }, '{"type":"document","document":{"id":"779"}}'],
  ])("a header of %j", (parameter, bytes) => {
    expect(componentBytes({ type: "header", parameter })).toBe(`{"type":"header","parameters":[${bytes}]}`);
  });

  test("a link that was not uploaded is a fault of ours, named by its field", () => {
    const parameter: HeaderParameter = {
      kind: "link",
      format: "image",
      link: "https://a.example/b",
      field: "c0_header_link",
    };
    expect(() => componentBytes({ type: "header", parameter })).toThrow("c0_header_link");
  });

  test.each<[ButtonParameter, string, string]>([
    [{ kind: "url", suffix: "t/1" }, "url", '{"type":"text","text":"t/1"}'],
    [{ kind: "quickReply", payload: "STOP" }, "quick_reply", '{"type":"payload","payload":"STOP"}'],
    [{ kind: "copyCode", code: "SAVE10" }, "copy_code", '{"type":"coupon_code","coupon_code":"SAVE10"}'],
    [
      { kind: "catalog", productRetailerId: "p1" },
      "catalog",
      '{"type":"action","action":{"thumbnail_product_retailer_id":"p1"}}',
    ],
    [
      { kind: "multiProduct", productRetailerId: "p1" },
      "mpm",
      '{"type":"action","action":{"thumbnail_product_retailer_id":"p1","sections":[{"title":"Items","product_items":[{"product_retailer_id":"p1"}]}]}}',
    ],
    [{ kind: "flow" }, "flow", '{"type":"action","action":{"flow_token":"unused"}}'],
  ])("a button of %j has its index as text", (parameter, subType, bytes) => {
    expect(componentBytes({ type: "button", index: 2, parameter })).toBe(
      `{"type":"button","sub_type":"${subType}","index":"2","parameters":[${bytes}]}`,
    );
  });

  test("a carousel holds its cards, each with a numeric index and its own components", () => {
    const carousel: TemplateComponent = {
      type: "carousel",
      cards: [
        {
          index: 0,
          components: [
            { type: "header", parameter: { kind: "media", format: "image", whatsappMediaId: "779" } },
            { type: "body", parameters: [{ text: "10%" }] },
            { type: "button", index: 0, parameter: { kind: "url", suffix: "a1" } },
          ],
        },
        { index: 1, components: [] },
      ],
    };
    expect(componentBytes(carousel)).toBe(
      '{"type":"carousel","cards":[{"card_index":0,"components":[' +
        '{"type":"header","parameters":[{"type":"image","image":{"id":"779"}}]},' +
        '{"type":"body","parameters":[{"type":"text","text":"10%"}]},' +
        '{"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"a1"}]}' +
        ']},{"card_index":1,"components":[]}]}',
    );
  });
});
