import { z } from "zod";
import { env } from "@/lib/core/env";
import { characterCount } from "@/lib/core/text";
import { WEBHOOK_FIELDS } from "@/lib/whatsapp/webhook-events";
import { callbackUrl } from "./check-webhook";

/** The form fields of a line. */

export const label = z
  .string("Give the line a name.")
  .trim()
  .min(1, "Give the line a name.")
  .refine((value) => characterCount(value) <= 100, "At most 100 characters.")
  .refine((value) => !/\p{Cc}/u.test(value), "Without line breaks or other control characters.");

export const accessToken = z
  .string("Paste the token.")
  .trim()
  .min(1, "Paste the token.")
  .max(4_096, "A token has at most 4,096 characters.")
  .regex(/^[\x21-\x7e]*$/, "A token has no spaces or line breaks. Copy it once more.");

const whatsappBusinessAccountId = z
  .string("Paste the business account’s id.")
  .trim()
  .regex(/^\d{5,20}$/, "The id of a business account is 5 to 20 digits, as WhatsApp Manager shows it.");

export const whatsappPhoneNumberId = z.string("Pick a number.").regex(/^\d{5,20}$/, "Pick a number.");

export const AccessToCheck = z.object({ accessToken, whatsappBusinessAccountId });

/** What Meta's dialog gave to the browser. The ids are only claims until the token has read them back. */
export const SignUpFields = z.object({
  code: z.string("`code` is required.").regex(/^[\x21-\x7e]{1,4096}$/, "Meta’s code is not valid. Start again."),
  whatsappBusinessAccountId,
  whatsappPhoneNumberId,
});

/** The values for the webhook settings of the Meta app. The verify token is for owners and admins only. */
export function webhookValues() {
  return { callbackUrl: callbackUrl(), verifyToken: env().WHATSAPP_VERIFY_TOKEN, fields: WEBHOOK_FIELDS };
}
