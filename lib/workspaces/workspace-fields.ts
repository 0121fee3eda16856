import { z } from "zod";
import { MAX_RETENTION_DAYS } from "@/lib/core/retention";
import { characterCount } from "@/lib/core/text";
import { isTimeZone } from "./time-zone";

export const WorkspaceName = z
  .string()
  .trim()
  .min(1, "Give it a name, such as your shop's.")
  .refine((name) => characterCount(name) <= 100, "A name has at most 100 characters.")
  .refine((name) => !/\p{Cc}/u.test(name), "A name is one line of text.");

export const TimeZone = z.string().trim().refine(isTimeZone, "Choose a time zone of the list, such as Europe/Berlin.");

/** Empty: the deployment's own number. */
export const RetentionDays = z
  .string()
  .trim()
  .regex(/^(|[1-9]\d{0,3})$/, `A whole number of days, 1 to ${MAX_RETENTION_DAYS}; empty for the deployment's own.`)
  .transform((digits) => (digits === "" ? null : Number(digits)))
  .refine((days) => days === null || days <= MAX_RETENTION_DAYS, `At most ${MAX_RETENTION_DAYS} days.`);
