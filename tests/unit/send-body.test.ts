import { describe, expect, test } from "vitest";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { toSendBody } from "@/lib/api/send-body";
import { callWith } from "../support/calls";

const parse = (body: unknown) => parseSendRequest(body, callWith()).request;
const to = { phone: "447700900123" };
const template = { ...to, type: "template", templateName: "order_ready" };

const BODIES: Record<string, object> = {
  "a text": { ...to, type: "text", content: "Hi\n" },
  "a text to a contact through a line": { type: "text", content: "Hi", contactId: "ct_1", phoneNumberId: "pn_1" },
  "a text that closes flows": { ...to, type: "text", content: "Hi", revalidateFlowSession: true },
  "an interactive message": {
    ...to,
    type: "interactive",
    content: '{"type":"button", "body":"Hi","buttons":[{"id":"a","title":"A"}]}',
  },
  "a template without variables": { ...template, templateVariables: {} },
  "a template by values": {
    ...template,
    expectCategory: "UTILITY",
    templateLanguage: "en_US",
    templateVariables: { 1: "Ada" },
    bodyParameters: { 2: "x" },
  },
  "a template by components": { ...template, templateComponents: [{ type: "body", parameters: [] }] },
  "a carousel": {
    ...template,
    templateVariables: { 1: "Ada" },
    carousel: {
      cards: [
        {
          index: 0,
          header: { format: "image", link: "https://media.example/a.jpg" },
          bodyValues: { zebra: "1", apple: "2" },
          buttonValues: [{ index: 0, sub_type: "url", parameters: { type: "text", text: "lamp" } }],
        },
        { index: 1, header: { format: "image", id: "123" } },
      ],
    },
  },
};

describe("a stored request as a body", () => {
  test.each(Object.entries(BODIES))("%s is read as the same request again", (_name, body) => {
    const request = parse(body);
    expect(toSendBody(request)).toEqual(body);
    expect(parse(JSON.parse(JSON.stringify(toSendBody(request))))).toEqual(request);
  });
});
