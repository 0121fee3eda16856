import { z } from "zod";
import type { MessageStatus } from "@/db/schema";
import { env } from "@/lib/core/env";
import { EVENT_TYPES, TEST_EVENT } from "./event-types";
import { MESSAGE_EXAMPLE, Message, toMessageResource } from "./message-resource";

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
        "Counts the events of this message or template. Gaps are events that the endpoint does not subscribe to.",
      ),
    data: data.describe(description),
  });

const typesOf = (subject: string) => EVENT_TYPES.filter((type) => type.startsWith(`${subject}.`));

const EventMessage = Message.extend({
  idempotencyKey: z.string().nullable().describe("The key that you sent it with; null without one."),
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
  subjectId: z.string().describe("Our id of the line, template, key, endpoint or workspace that it is about."),
  url: z.string().describe("The page where it can be fixed."),
  openedAt: z.iso.datetime().describe("When it was seen first."),
  closedAt: z.iso.datetime().nullable().describe("When it was over; null until then."),
});

const TestData = z.strictObject({ message: z.string().describe("A sentence that says that the endpoint works.") });

const HAPPENED_AT = "2026-01-05T12:09:13.000Z";

export const EVENTS: Record<"message" | "template" | "alert" | "test", Event> = {
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
        idempotencyKey: "order-4711-ready",
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
      data: { message: "This endpoint receives the events of Switchboard." },
    },
  },
};

/** An event as stored in the outbox. */
export type StoredEvent = {
  type: string;
  subjectId: string;
  sequence: number;
  occurredAt: Date;
  snapshot: Record<string, string | null>;
  /** Of the message that it is about. */
  message: { createdAt: Date; idempotencyKey: string | null } | null;
};

/** The public Event: what happened, when, and its subject as the event left it. */
export function toEventResource({ type, occurredAt, sequence, ...event }: StoredEvent) {
  return {
    type,
    timestamp: occurredAt.toISOString(),
    sequence,
    data: dataOf(type, event),
  };
}

const dataOf = (
  type: string,
  { subjectId, snapshot, message }: Pick<StoredEvent, "subjectId" | "snapshot" | "message">,
) => {
  if (type === TEST_EVENT) return { message: "This endpoint receives the events of Switchboard." };
  if (type.startsWith("alert.")) {
    const { kind = "", severity = "", sentence = "", subjectId: about = "", path = "" } = snapshot;
    const [openedAt, closedAt] = [instantOf(snapshot.openedAt), instantOf(snapshot.closedAt)];
    return {
      id: subjectId,
      kind,
      severity,
      sentence: sentence ?? "",
      subjectId: about,
      url: `${env().APP_URL}${path}`,
      openedAt: openedAt?.toISOString() ?? "",
      closedAt: closedAt?.toISOString() ?? null,
    };
  }
  const { name, language, category, status, rejectedReason } = snapshot;
  if (type.startsWith("template.")) return { id: subjectId, name, language, category, status, rejectedReason };
  const resource = toMessageResource(
    {
      id: subjectId,
      // What the enum's own column held.
      status: status as MessageStatus,
      whatsappMessageId: snapshot.whatsappMessageId ?? null,
      failureReason: snapshot.failureReason ?? null,
      sentAt: instantOf(snapshot.sentAt),
      deliveredAt: instantOf(snapshot.deliveredAt),
      readAt: instantOf(snapshot.readAt),
      createdAt: message?.createdAt ?? new Date(0),
    },
    { idempotentReplay: false },
  );
  return { ...resource, idempotencyKey: message?.idempotencyKey ?? null };
};

const instantOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);
