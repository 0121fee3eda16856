import { z } from "zod";
import { characterCount } from "@/lib/core/text";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./credential-limits";

export const PersonName = z
  .string()
  .trim()
  .min(1, "Write a name.")
  .refine((name) => characterCount(name) <= 100, "A name has at most 100 characters.")
  .refine((name) => !/\p{Cc}/u.test(name), "A name is one line of text.");

/** Normalized to lower case, as stored. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, "This is too long.")
  .pipe(z.email("Write an e-mail address."));

/** Only the length is checked: rules about character types lead to worse passwords. */
export const NewPassword = z
  .string()
  .refine(
    (password) => characterCount(password) >= PASSWORD_MIN_LENGTH,
    `A password has at least ${PASSWORD_MIN_LENGTH} characters.`,
  )
  .refine(
    (password) => characterCount(password) <= PASSWORD_MAX_LENGTH,
    `A password has at most ${PASSWORD_MAX_LENGTH} characters.`,
  );
