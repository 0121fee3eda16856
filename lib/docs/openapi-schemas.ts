import { z } from "zod";
import { type ErrorDetails, MAX_ISSUES } from "@/lib/core/app-error";
import { EVENT_TYPES, TEST_EVENT } from "@/lib/public-api/event-types";
import type { toMessageResource } from "@/lib/public-api/message-resource";
import { FIELDS_OF_TYPE, SEND_FIELDS, type SendField } from "@/lib/public-api/send-fields";
import type { toTemplateResource } from "@/lib/public-api/template-resource";
import { ERROR_CODES } from "./error-catalogue";

/** JSON Schema, as zod writes it. */
export type Schema = Record<string, unknown>;

const instant = z.iso.datetime();

// `satisfies` holds the documents to what the serializers write: a field that is added there must be added here.

const Message = z.strictObject({
  id: z.string().describe("Our id of the message, by which its status is read."),
  status: z
    .enum(["PENDING", "UNKNOWN", "SENT", "DELIVERED", "READ", "FAILED"])
    .describe(
      "No event moves it back. `FAILED` becomes `SENT` where a message that was not sent passes when it is retried under its key.",
    ),
  chatMessageId: z.string().nullable().describe("WhatsApp’s id, once it has accepted the message."),
  failureReason: z
    .string()
    .nullable()
    .describe("Why it failed: WhatsApp’s code and words. Null unless the status is `FAILED`."),
  sentAt: instant.nullable().describe("When WhatsApp accepted it."),
  deliveredAt: instant.nullable().describe("When it reached the recipient’s device."),
  readAt: instant.nullable().describe("When it was opened; never, where read receipts are off."),
  createdAt: instant.describe("When we took the send."),
  idempotentReplay: z.boolean().describe("True where this key had sent it before, and nothing was sent now."),
}) satisfies z.ZodType<ReturnType<typeof toMessageResource>>;

const Template = z.strictObject({
  id: z.string().describe("Our id of the template."),
  name: z.string().describe("What `templateName` takes."),
  language: z.string().describe("What `templateLanguage` takes."),
  category: z.string().describe("`UTILITY`, `MARKETING` or `AUTHENTICATION`."),
  status: z.string().describe("Always `APPROVED` in this list."),
  parameterFormat: z.string().describe("`POSITIONAL` for `{{1}}`, `NAMED` for `{{order_number}}`."),
  components: z.unknown().describe("Its parts, as WhatsApp writes them."),
  variables: z
    .array(
      z.strictObject({
        key: z.string().describe("The key in `templateVariables`."),
        where: z.array(z.string()).describe("Every place that takes the value: `body`, `button 0 url`."),
        example: z.string().nullable().describe("The template’s own sample."),
        maxLength: z.int().nullable().describe("In characters; null where there is no limit of ours."),
        required: z.boolean().describe("Whether a send without it is refused."),
        oneOf: z
          .array(z.string())
          .optional()
          .describe("Where there is a choice: the keys of which a send brings exactly one, this one among them."),
        fillWith: z
          .literal("templateComponents")
          .optional()
          .describe(
            "Only there where no string can fill the place: send `templateComponents`. Otherwise `templateVariables` does.",
          ),
      }),
    )
    .describe("The keys that a send fills."),
  qualityScore: z
    .string()
    .nullable()
    .describe("WhatsApp’s: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null where it gave none."),
  phoneNumberIds: z.array(z.string()).describe("The lines of its business account, paused ones included."),
  updatedAt: instant.describe("When we last saw it change."),
});

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

const eventOf = <Data extends z.ZodType>(types: readonly string[], data: Data, description: string) =>
  z.strictObject({
    type: z.enum(types).describe("What happened."),
    timestamp: instant.describe("When it happened, by WhatsApp’s clock where WhatsApp reported it."),
    sequence: z
      .int()
      .min(1)
      .describe(
        "Counts the events of this message or template. Gaps are events that the endpoint does not subscribe to.",
      ),
    data: data.describe(description),
  });

const typesOf = (subject: string) => EVENT_TYPES.filter((type) => type.startsWith(`${subject}.`));

const MessageEvent = eventOf(
  typesOf("message"),
  EventMessage,
  "The message, as its status request returned it when the event was stored.",
);
const TemplateEvent = eventOf(typesOf("template"), EventTemplate, "The template as the event left it.");
const WebhookTestEvent = eventOf(
  [TEST_EVENT],
  z.strictObject({ message: z.string().describe("A sentence that says that the endpoint works.") }),
  "No subject: an owner or admin sent it from the endpoint’s page.",
);

type Fields = Record<keyof ReturnType<typeof toTemplateResource>, unknown>;
Template.shape satisfies Fields;

const details = z.looseObject({
  requestId: z.string().describe("Names this call in the dashboard’s log of requests."),
  docsUrl: z.string().describe("The page of the code."),
  field: z.string().optional().describe("The first field that is at fault."),
  issues: z
    .array(
      z.strictObject({
        path: z.string().describe("Where: `carousel.cards[0].header`."),
        message: z.string().describe("What is wrong, and what is right."),
      }),
    )
    .max(MAX_ISSUES)
    .optional()
    .describe(
      "Every fault found, the first 100. Values are checked against the template once the request itself is right.",
    ),
  retryable: z.boolean().optional().describe("Whether the same call, with the same idempotency key, may pass later."),
  retryAfterSeconds: z.number().optional().describe("How long to wait first. Also the header `Retry-After`."),
  outcome: z
    .enum(["not_sent", "unknown"])
    .optional()
    .describe("Of `CHAT_GRAPH_ERROR`: `unknown` where the message may have been sent all the same."),
  messageId: z.string().optional().describe("The message that the call or its idempotency key belongs to."),
  platform: z
    .strictObject({
      code: z.int().nullable().describe("WhatsApp’s error code."),
      subcode: z.int().nullable().describe("Its subcode."),
      title: z.string().nullable().describe("Its title."),
      details: z.string().nullable().describe("Its explanation."),
      fbtraceId: z.string().nullable().describe("Names the call in WhatsApp’s own logs."),
    })
    .optional()
    .describe("What WhatsApp returned, in its own words."),
  scope: z.enum(["ip", "key"]).optional().describe("Of `RATE_LIMIT_EXCEEDED`: which limit was reached."),
  limit: z.int().optional().describe("Of `RATE_LIMIT_EXCEEDED` and `PLAN_LIMIT_EXCEEDED`: the limit."),
  used: z.int().optional().describe("Of `PLAN_LIMIT_EXCEEDED`: how many messages of this month’s quota are used."),
  resetsAt: instant.optional().describe("Of `PLAN_LIMIT_EXCEEDED`: when the next month’s quota begins."),
});

type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: unknown };
details.shape satisfies Named<ErrorDetails>;

const ApiError = z.strictObject({
  error: z.enum(ERROR_CODES).describe("The code, which has a page at `details.docsUrl`."),
  message: z.string().describe("What happened, why, and the fix."),
  details: details.describe("More of some codes: their pages say what."),
});

const schemaOf = (schema: z.ZodType, io: "input" | "output" = "output"): Schema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
};

type SendType = keyof typeof FIELDS_OF_TYPE;

const REQUIRED: Record<SendType, readonly SendField[]> = {
  text: ["content"],
  interactive: ["content"],
  template: ["templateName"],
};

/** A send of one type: the fields that all have, and its own. `null` is the same as absent. */
const sendSchema = (type: SendType): Schema => {
  const ofTypes = Object.values(FIELDS_OF_TYPE).flat();
  const own: readonly SendField[] = FIELDS_OF_TYPE[type];
  const fields = Object.entries(SEND_FIELDS).filter(
    ([name]) => own.some((field) => field === name) || !ofTypes.some((field) => field === name),
  );
  const properties = Object.fromEntries(
    fields.map(([name, schema]): [string, Schema] => [name, schemaOf(schema.nullish(), "input")]),
  );
  return {
    type: "object",
    properties: {
      ...properties,
      type: { const: type, description: "Message type." },
      idempotencyKey: {
        anyOf: [{ type: "string", maxLength: 255 }, { type: "null" }],
        description: "In place of the header `Idempotency-Key`; where both are given, they must be equal.",
      },
    },
    required: ["type", ...REQUIRED[type]],
    anyOf: [{ required: ["phone"] }, { required: ["contactId"] }],
    additionalProperties: false,
  };
};

/** The components of the document, by name. */
export function openApiSchemas(): Record<string, Schema> {
  return {
    SendText: sendSchema("text"),
    SendInteractive: sendSchema("interactive"),
    SendTemplate: sendSchema("template"),
    Message: schemaOf(Message),
    Template: schemaOf(Template),
    MessageEvent: schemaOf(MessageEvent),
    TemplateEvent: schemaOf(TemplateEvent),
    WebhookTestEvent: schemaOf(WebhookTestEvent),
    Error: schemaOf(ApiError),
  };
}
