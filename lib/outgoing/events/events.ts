import { z } from "zod";
import { MESSAGE_EXAMPLE, Message } from "@/lib/api/message-resource";
import { EVENT_GROUPS, TEST_EVENT, TEST_MESSAGE } from "./event-types";
import { contactId, EventReceived, lineId } from "./received-event";

/** A documented group of events that partner endpoints receive. */
export type Event = { id: string; summary: string; description: string; schema: z.ZodType; example: unknown };

const eventOf = <Data extends z.ZodType>(types: readonly string[], data: Data, description: string) =>
  z.strictObject({
    type: z.enum(types).describe("What happened."),
    timestamp: z.iso.datetime().describe("When it happened, by WhatsApp’s clock where WhatsApp reported it."),
    sequence: z
      .int()
      .min(1)
      .describe(
        "Counts the events of this message, contact or template. Gaps are events that the endpoint does not subscribe to.",
      ),
    data: data.describe(description),
  });

const typesOf = (subject: string): string[] => EVENT_GROUPS.find(({ about }) => about === subject)?.types ?? [];

const EventMessage = Message.extend({
  contactId,
  idempotencyKey: z.string().nullable().describe("The key that you sent it with; null without one."),
  pricing: z
    .strictObject({
      billable: z.boolean().describe("False where WhatsApp does not charge for it."),
      type: z.string().nullable().describe("Such as `regular` or `free_customer_service`."),
      category: z.string().describe("Such as `utility`, `marketing`, `authentication` or `service`."),
      model: z.string().nullable().describe("`PMP`: per message."),
    })
    .nullable()
    .describe(
      "How WhatsApp charges for it, in its words, which may be new ones. It names no amount. Null where no status with a price had arrived when the event was stored.",
    ),
});

const EventTemplate = z.strictObject({
  id: z.string().describe("Our id of the template."),
  name: z.string().describe("What `templateName` takes."),
  language: z.string().describe("What `templateLanguage` takes."),
  category: z.string().describe("`UTILITY`, `MARKETING` or `AUTHENTICATION`."),
  status: z.enum(["APPROVED", "REJECTED", "PAUSED", "DISABLED"]).describe("Its status after the event."),
  rejectedReason: z.string().nullable().describe("WhatsApp’s reason; null unless it was rejected."),
});

const EventAlert = z.strictObject({
  id: z.string().describe("Our id of the alert: the same when it is over."),
  kind: z.string().describe("What it is about, such as `token.invalid`. New kinds may be added."),
  severity: z.enum(["critical", "warning"]).describe("`critical`: sends fail, or will."),
  sentence: z.string().describe("What an owner reads in the dashboard. Holds no secret and no recipient."),
  subjectId: z
    .string()
    .describe("Our id of the line, template, key, endpoint or workspace that it is about; WhatsApp’s of a portfolio."),
  url: z.string().describe("The page where it can be fixed."),
  openedAt: z.iso.datetime().describe("When it was seen first."),
  closedAt: z.iso.datetime().nullable().describe("When it was over; null until then."),
});

const EventPreference = z.strictObject({
  contactId,
  phoneNumberId: lineId,
  source: z.enum(["whatsapp", "word"]).describe("In WhatsApp’s own settings, or by a stop word of the workspace."),
});

const EventChanged = z.strictObject({
  contactId,
  phone: z.string().nullable().describe("The new number; null where it did not change, or is not known."),
  previousPhone: z.string().nullable().describe("The number that they left."),
  userId: z.string().nullable().describe("The new user id at WhatsApp."),
  previousUserId: z.string().nullable().describe("The user id that they left."),
  mergedContactId: z
    .string()
    .nullable()
    .describe("Another id of ours that turned out to be the same person. Sends still take it."),
});

const TestData = z.strictObject({ message: z.string().describe("A sentence that says that the endpoint works.") });

const HAPPENED_AT = "2026-01-05T12:09:13.000Z";

const CONTACT_ID = "ct_01kd7x2m9q4v8c3t6w1z5r0n";
const LINE_ID = "pn_01kd7x2m9q4v8c3t6w1z5r0n";

type Subject = "message" | "received" | "preference" | "changed" | "template" | "alert" | "test";

export const EVENTS: Record<Subject, Event> = {
  message: {
    id: "messageEvent",
    summary: "A message changed its status",
    description:
      "Posted once for each status that the endpoint subscribes to. Events of one message come in order while your endpoint answers.",
    schema: eventOf(
      typesOf("message"),
      EventMessage,
      "The message, as its status request returned it when the event was stored.",
    ).meta({ id: "MessageEvent" }),
    example: {
      type: "message.delivered",
      timestamp: HAPPENED_AT,
      sequence: 2,
      data: {
        ...MESSAGE_EXAMPLE,
        status: "DELIVERED",
        deliveredAt: HAPPENED_AT,
        contactId: CONTACT_ID,
        idempotencyKey: "order-4711-ready",
        pricing: { billable: true, type: "regular", category: "utility", model: "PMP" },
      },
    },
  },
  received: {
    id: "messageReceivedEvent",
    summary: "A person wrote",
    description:
      "Posted once for each message that a person sends to one of your lines, in order while your endpoint answers. Endpoints receive it only where an owner or admin chose it.",
    schema: eventOf(["message.received"], EventReceived, "What they wrote.").meta({ id: "MessageReceivedEvent" }),
    example: {
      type: "message.received",
      timestamp: HAPPENED_AT,
      sequence: 1,
      data: {
        id: "in_5f0c9b7a3e1d4c6880a2b4d6f8091a2b",
        contactId: CONTACT_ID,
        phoneNumberId: LINE_ID,
        type: "button",
        text: "Today",
        payload: "today",
        truncated: false,
        media: null,
        location: null,
        context: {
          chatMessageId: MESSAGE_EXAMPLE.chatMessageId,
          forwarded: false,
          frequentlyForwarded: false,
          product: null,
        },
        referral: null,
        replyTo: { messageId: MESSAGE_EXAMPLE.id, idempotencyKey: "order-4711-ready" },
        chatMessageId: "wamid.HBgMNDQ3NzAwOTAwMDAzFQIA",
        name: "Ada",
        username: null,
      },
    },
  },
  preference: {
    id: "contactPreferenceEvent",
    summary: "A person stopped marketing messages, or allows them again",
    description:
      "Posted once for each change in WhatsApp’s settings and each stop word. Of several, the one with the latest `timestamp` counts.",
    schema: eventOf(["contact.opted_out", "contact.opted_in"], EventPreference, "Who, and how.").meta({
      id: "ContactPreferenceEvent",
    }),
    example: {
      type: "contact.opted_out",
      timestamp: HAPPENED_AT,
      sequence: 2,
      data: { contactId: CONTACT_ID, phoneNumberId: LINE_ID, source: "whatsapp" },
    },
  },
  changed: {
    id: "contactChangedEvent",
    summary: "A person has a new number or user id",
    description:
      "Posted for each notice of WhatsApp’s, which may report one change in two, and where two contacts turn out to be one person. `contactId` stays.",
    schema: eventOf(["contact.changed"], EventChanged, "What is new, and what they left.").meta({
      id: "ContactChangedEvent",
    }),
    example: {
      type: "contact.changed",
      timestamp: HAPPENED_AT,
      sequence: 3,
      data: {
        contactId: CONTACT_ID,
        phone: "447700900004",
        previousPhone: "447700900003",
        userId: null,
        previousUserId: null,
        mergedContactId: null,
      },
    },
  },
  template: {
    id: "templateEvent",
    summary: "A template changed its status",
    description: "Posted when WhatsApp approves, rejects, pauses or disables a template.",
    schema: eventOf(typesOf("template"), EventTemplate, "The template as the event left it.").meta({
      id: "TemplateEvent",
    }),
    example: {
      type: "template.paused",
      timestamp: HAPPENED_AT,
      sequence: 4,
      data: {
        id: "tpl_01kd7x2m9q4v8c3t6w1z5r0n",
        name: "order_ready",
        language: "en_US",
        category: "UTILITY",
        status: "PAUSED",
        rejectedReason: null,
      },
    },
  },
  alert: {
    id: "alertEvent",
    summary: "Something needs attention, or no longer does",
    description: "Posted within a minute, once when it is seen, again when it becomes worse, and when it is over.",
    schema: eventOf(typesOf("alert"), EventAlert, "The alert as the event left it.").meta({ id: "AlertEvent" }),
    example: {
      type: "alert.opened",
      timestamp: HAPPENED_AT,
      sequence: 1,
      data: {
        id: "alr_01kd7x2m9q4v8c3t6w1z5r0nab",
        kind: "template.paused",
        severity: "warning",
        sentence: "Template order_ready (en_US): paused by WhatsApp, so it cannot be sent.",
        subjectId: "tpl_01kd7x2m9q4v8c3t6w1z5r0n",
        url: "https://messages.example.com/dashboard/templates/tpl_01kd7x2m9q4v8c3t6w1z5r0n",
        openedAt: HAPPENED_AT,
        closedAt: null,
      },
    },
  },
  test: {
    id: "testEvent",
    summary: "An endpoint is tested",
    description: "Posted when an owner or admin presses “Send test event”. It is about no message and no template.",
    schema: eventOf([TEST_EVENT], TestData, "No subject: an owner or admin sent it from the endpoint’s page.").meta({
      id: "WebhookTestEvent",
    }),
    example: {
      type: TEST_EVENT,
      timestamp: HAPPENED_AT,
      sequence: 1,
      data: { message: TEST_MESSAGE },
    },
  },
};
