import { describe, expect, test } from "vitest";
import { applyComponentsUpdate, readComponentsUpdate } from "@/lib/whatsapp/template-webhooks";

const STORED = [
  { type: "HEADER", format: "TEXT", text: "Old header", example: { header_text: ["x"] } },
  { type: "BODY", text: "Old {{1}}", example: { body_text: [["Ana"]] } },
  { type: "FOOTER", text: "Old footer" },
  {
    type: "BUTTONS",
    buttons: [
      { type: "QUICK_REPLY", text: "Stop" },
      { type: "URL", text: "Track", url: "https://a.example/{{1}}", example: ["https://a.example/1"] },
      { type: "URL", text: "Help", url: "https://a.example/help" },
      { type: "PHONE_NUMBER", text: "Call", phone_number: "+442079460123" },
    ],
  },
  { type: "A_NEW_PART", anything: 1 },
];
const apply = (value: Record<string, unknown>) => {
  const update = readComponentsUpdate(value);
  return update && applyComponentsUpdate(STORED, update);
};

describe("a components update", () => {
  test("replaces the texts that it names, and keeps examples and everything else", () => {
    const updated = apply({ message_template_element: "New {{1}}", message_template_title: "New header" });
    expect(updated).toEqual([
      { ...STORED[0], text: "New header" },
      { ...STORED[1], text: "New {{1}}" },
      ...STORED.slice(2),
    ]);
  });

  test("gives each link and phone button the next text of its own kind", () => {
    const button = (type: string, text: string, rest: object) => ({
      message_template_button_type: type,
      message_template_button_text: text,
      ...rest,
    });
    const updated = apply({
      message_template_buttons: [
        button("PHONE_NUMBER", "Ring", { message_template_button_phone_number: "+442079460999" }),
        button("URL", "Follow", { message_template_button_url: "https://b.example/{{1}}" }),
      ],
    });
    expect(updated?.[3]).toEqual({
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "Stop" },
        { type: "URL", text: "Follow", url: "https://b.example/{{1}}", example: ["https://a.example/1"] },
        { type: "URL", text: "Help", url: "https://a.example/help" },
        { type: "PHONE_NUMBER", text: "Ring", phone_number: "+442079460999" },
      ],
    });
  });

  test("leaves a media header alone, and odd stored parts as they are", () => {
    const stored = [{ type: "HEADER", format: "IMAGE" }, null, "odd", { type: "BUTTONS" }];
    const update = readComponentsUpdate({ message_template_title: "New", message_template_buttons: [] });
    expect(update && applyComponentsUpdate(stored, update)).toEqual(stored);
  });

  test("that names no part is none", () => {
    expect(readComponentsUpdate({ message_template_id: 1 })).toBeUndefined();
  });
});
