import { z } from "zod";
import { characterCount } from "@/lib/core/text";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./credential-limits";

export const PersonName = z
  .string()
  .trim()
  .min(1, "Write a name.")
  .refine((name) => characterCount(name) <= 100, "A name has at most 100 characters.")
  .refine((name) => !/\p{Cc}/u.test(name), "A name is one line of text.");

/**
 * What `z.email` takes, which refuses `o&m@example.com` and each domain under a country's name in its own letters, and
 * those. The part before the @ is ASCII, as not every server delivers others.
 */
export const EMAIL_ADDRESS =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_.!#$%&'*+/=?^`{|}~-]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+(?:[\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/u;

/** Normalized to lower case, as stored. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, "This is too long.")
  .pipe(z.email({ pattern: EMAIL_ADDRESS, error: "Write an e-mail address." }));

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
