import { z } from "zod";
import { ERROR_STATUS, type ErrorCode, type ErrorDetails, MAX_ISSUES } from "@/lib/core/app-error";

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
    .describe("What WhatsApp returned, in its own words; its code alone where `refusedBy` is set."),
  refusedBy: z
    .literal("switchboard")
    .optional()
    .describe("Of `CHAT_GRAPH_ERROR`: set if WhatsApp was not called, because it would refuse the message."),
  optedOutAt: z.iso.datetime().optional().describe("Of code 131050: when the person stopped marketing messages."),
  optOutSource: z
    .enum(["whatsapp", "word"])
    .optional()
    .describe("Of code 131050: whether they did so in WhatsApp, or with a stop word of the workspace."),
  scope: z.enum(["ip", "key"]).optional().describe("Of `RATE_LIMIT_EXCEEDED`: which limit was reached."),
  limit: z.int().optional().describe("Of `RATE_LIMIT_EXCEEDED` and `PLAN_LIMIT_EXCEEDED`: the limit."),
  used: z.int().optional().describe("Of `PLAN_LIMIT_EXCEEDED`: how many messages of this month’s quota are used."),
  resetsAt: z.iso.datetime().optional().describe("Of `PLAN_LIMIT_EXCEEDED`: when the next month’s quota begins."),
});

type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: unknown };
// Every field of ErrorDetails must be in this schema.
details.shape satisfies Named<ErrorDetails>;

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** The body of every error response. */
export const ApiError = z
  .strictObject({
    error: z.enum(CODES).describe("The code, which has a page at `details.docsUrl`."),
    message: z.string().describe("What happened, why, and the fix."),
    details: details.describe("More of some codes: their pages say what."),
  })
  .meta({ id: "Error" });
