import { z } from "zod";
import { storableText } from "./platform-text";

const text = z.string().transform(storableText);

/** Ids are strings in answers and numbers in some webhooks; here always text. */
const id = z.union([z.string().min(1), z.number().int()]).transform((value) => storableText(String(value)));

/** Words and enums stay open: the platform adds values without notice. */
export const TemplateRecord = z.object({
  id,
  name: text,
  language: text,
  status: text,
  category: text,
  parameter_format: text.nullish(),
  components: z.array(z.unknown()).nullish(),
  quality_score: z
    .union([z.object({ score: text.nullish() }), text.transform((score) => ({ score }))])
    .nullish()
    .catch(null),
  rejected_reason: text.nullish(),
});

/** One page of any list; `next` is present on every page but the last, `after` also on the last. */
export const Page = z.object({
  data: z.array(z.unknown()),
  paging: z
    .object({ cursors: z.object({ after: z.string().optional() }).nullish(), next: z.string().nullish() })
    .nullish(),
});

export const SendAnswer = z.object({
  messages: z.tuple(
    [z.object({ id: z.string().regex(/^[\x21-\x7e]{1,512}$/), message_status: z.string().nullish().catch(null) })],
    z.unknown(),
  ),
});

export const MediaAnswer = z.object({ id });
