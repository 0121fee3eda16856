import { z } from "zod";
import { CATEGORIES } from "./limits";

const text = z.string().max(5_000);

const DraftButton = z.strictObject({
  kind: z.enum(["quickReply", "url", "phone", "copyCode"]),
  /** The button's label; WhatsApp sets it for a copy-code button. */
  label: text,
  /** The URL, which may end in `{{1}}`, or the phone number. */
  target: text,
  /** The sample for `{{1}}` in the review, or the code. */
  sample: text,
});

const DraftHeader = z.strictObject({
  kind: z.enum(["none", "text", "image", "video", "document"]),
  text,
  /** The sample for `{{1}}` in the review, or a public URL of the media. */
  sample: text,
});

const DraftPart = z.strictObject({
  header: DraftHeader,
  body: text,
  /** One for each `{{n}}` of the body, in the order of the numbers. */
  samples: z.array(text).max(100),
  buttons: z.array(DraftButton).max(20),
});

/** A one-time code: WhatsApp writes the text itself, so these are all that its author chooses. */
const DraftCode = z.strictObject({
  /** Adds “For your security, do not share this code.” */
  hasAdvice: z.boolean(),
  /** How long the code is valid, for the footer; empty for no footer. */
  minutes: text,
  button: z.enum(["copyCode", "oneTap"]),
  /** The Android app that a one-tap button fills the code into. */
  packageName: text,
  signatureHash: text,
});

/** A template as its author writes it. */
export const TemplateDraft = DraftPart.extend({
  name: text,
  language: text,
  category: z.enum(CATEGORIES),
  /** Of an authentication template, which has nothing else. */
  code: DraftCode.optional(),
  footer: text,
  cards: z.array(DraftPart).max(20),
});

export type DraftCode = z.infer<typeof DraftCode>;
export type DraftButton = z.infer<typeof DraftButton>;
export type DraftHeader = z.infer<typeof DraftHeader>;
export type DraftPart = z.infer<typeof DraftPart>;
export type TemplateDraft = z.infer<typeof TemplateDraft>;
