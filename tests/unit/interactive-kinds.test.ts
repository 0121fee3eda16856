import { describe, expect, test } from "vitest";
import { INTERACTIVE_KINDS } from "@/lib/docs/interactive-kinds";
import { previewInteractive } from "@/lib/docs/interactive-preview";
import { readInteractive } from "@/lib/messages/send/interactive";
import { checkInteractive } from "@/lib/sandbox/message-rules";
import { readContent } from "@/lib/whatsapp/inbound-content";
import { INTERACTIVE } from "@/lib/whatsapp/interactive";

const chosen = (type: string, value: object) => ({ type: "interactive", interactive: { type, [type]: value } });

/** What WhatsApp posts of each answer that the docs show. */
const ANSWERS: Record<string, Record<string, unknown>> = {
  button: chosen("button_reply", { id: "today", title: "Today" }),
  list: chosen("list_reply", { id: "mon-9", title: "9:00", description: "Front door" }),
  location_request_message: { type: "location", location: { latitude: 51.5, longitude: -0.12 } },
  address_message: chosen("nfm_reply", {
    name: "address_message",
    body: "Sent",
    response_json: '{"values":{"in_pin_code":"400063"}}',
  }),
  flow: chosen("nfm_reply", {
    name: "flow",
    body: "Sent",
    response_json: '{"flow_token":"order-8812","day":"Monday"}',
  }),
  request_contact_info: { type: "contacts", contacts: [{ phones: [{ wa_id: "447700900003" }] }] },
  call_permission_request: chosen("call_permission_reply", { response: "accept" }),
  carousel: chosen("button_reply", { id: "lamp-1", title: "This one" }),
};

describe("the docs of interactive messages", () => {
  test("show every kind that is checked, and those that only WhatsApp checks", () => {
    const unchecked = ["address_message", "request_contact_info", "voice_call", "call_permission_request"];
    const ids = INTERACTIVE_KINDS.map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...INTERACTIVE.keys(), ...unchecked].toSorted());
    expect(INTERACTIVE_KINDS.map(({ full }) => full.type)).toEqual(ids);
  });

  test.each(INTERACTIVE_KINDS)(
    "$title: both forms are the same message, which the sandbox takes",
    ({ short, full }) => {
      expect(readInteractive(full)).toEqual(full);
      if (short) expect(readInteractive(short)).toEqual(full);
      expect(() => checkInteractive(full)).not.toThrow();
    },
  );

  test.each(INTERACTIVE_KINDS)("$title: its picture has its texts and a button", ({ full }) => {
    const { main, cards } = previewInteractive(full);
    for (const { body, buttons } of cards.length > 0 ? cards : [main]) {
      expect(body.map(({ text }) => text).join("")).toMatch(/\w/);
      expect(buttons.map(({ label }) => label)).toEqual(buttons.map(() => expect.stringMatching(/^[A-Z]/)));
      expect(buttons.length).toBeGreaterThan(0);
    }
  });

  test("show what an answer is, as its event has it", () => {
    const shown = INTERACTIVE_KINDS.flatMap(({ id, answer }) => (answer.event ? [[id, answer.event]] : []));
    const read = Object.entries(ANSWERS).map(([id, raw]) => {
      const { type, text, payload, location } = readContent(raw);
      return [id, { type, text, payload, ...(location ? { location } : {}) }];
    });
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(read));
  });
});
