import { z } from "zod";
import { ERROR_CODES } from "@/lib/docs/error-catalogue";
import { MAX_ISSUES } from "@/lib/errors";
import type { toMessageResource } from "./message-resource";
import { FIELDS_OF_TYPE, SEND_FIELDS, type SendField } from "./send-fields";
import type { toTemplateResource } from "./template-resource";

/** JSON Schema, as zod writes it. */
export type Schema = Record<string, unknown>;

const instant = z.iso.datetime();

// `satisfies` holds the documents to what the serializers write: a field that is added there must be added here.

const Message = z.strictObject({
  id: z.string(),
  status: z.enum(["PENDING", "UNKNOWN", "SENT", "DELIVERED", "READ", "FAILED"]),
  chatMessageId: z.string().nullable(),
  failureReason: z.string().nullable(),
  sentAt: instant.nullable(),
  deliveredAt: instant.nullable(),
  readAt: instant.nullable(),
  createdAt: instant,
  idempotentReplay: z.boolean(),
}) satisfies z.ZodType<ReturnType<typeof toMessageResource>>;

const Template = z.strictObject({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string(),
  parameterFormat: z.string(),
  components: z.unknown(),
  variables: z.array(
    z.strictObject({
      key: z.string(),
      where: z.array(z.string()),
      example: z.string().nullable(),
      maxLength: z.int().nullable(),
      required: z.boolean(),
    }),
  ),
  qualityScore: z.string().nullable(),
  phoneNumberIds: z.array(z.string()),
  updatedAt: instant,
});

type Fields = Record<keyof ReturnType<typeof toTemplateResource>, unknown>;
Template.shape satisfies Fields;

const ApiError = z.strictObject({
  error: z.enum(ERROR_CODES),
  message: z.string(),
  details: z.looseObject({
    requestId: z.string(),
    docsUrl: z.string(),
    field: z.string().optional(),
    issues: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .max(MAX_ISSUES)
      .optional(),
    retryable: z.boolean().optional(),
    retryAfterSeconds: z.number().optional(),
  }),
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
      type: { const: type },
      idempotencyKey: { anyOf: [{ type: "string", maxLength: 255 }, { type: "null" }] },
    },
    required: ["type", ...REQUIRED[type]],
    anyOf: [{ required: ["phone"] }, { required: ["contactId"] }],
    additionalProperties: false,
  };
};

/** The components of the document, by name. */
export const openApiSchemas = (): Record<string, Schema> => ({
  SendText: sendSchema("text"),
  SendInteractive: sendSchema("interactive"),
  SendTemplate: sendSchema("template"),
  Message: schemaOf(Message),
  Template: schemaOf(Template),
  Error: schemaOf(ApiError),
});
