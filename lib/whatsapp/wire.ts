import { z } from "zod";
import { storableText } from "./platform-text";

const text = z.string().transform(storableText);

/** Ids are strings in responses and numbers in some webhooks; normalized to text. */
const id = z.union([z.string().min(1), z.number().int()]).transform((value) => storableText(String(value)));

/** Enums are plain text, because WhatsApp adds values without notice. */
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
    [z.object({ id: z.string().regex(/^[\x21-\x7e]{1,512}$/), message_status: text.nullish().catch(null) })],
    z.unknown(),
  ),
  /** WhatsApp's other ids of the recipient; ignored if missing or malformed. */
  contacts: z
    .tuple([z.object({ wa_id: z.unknown().optional(), user_id: z.unknown().optional() })], z.unknown())
    .nullish()
    .catch(null),
});

export const MediaAnswer = z.object({ id });

/** WhatsApp's facts about a token; `expires_at` 0 means never. */
export const TokenRecord = z.object({
  data: z.object({
    is_valid: z.boolean().optional(),
    app_id: id.nullish().catch(null),
    expires_at: z.number().int().nonnegative().nullish().catch(null),
    scopes: z.array(z.string()).nullish().catch(null),
    error: z.unknown().optional(),
  }),
});

/** The responses of a batch, in request order; each body is a JSON string. */
export const BatchAnswer = z.tuple([z.object({ code: z.number().int(), body: z.string() })], z.unknown());

export const PhoneNumberRecord = z.object({
  id,
  display_phone_number: text,
  verified_name: text.nullish().catch(null),
  quality_rating: text.nullish().catch(null),
  status: text.nullish().catch(null),
  throughput: z.object({ level: text.nullish() }).nullish().catch(null),
  whatsapp_business_manager_messaging_limit: text.nullish().catch(null),
});

export const BusinessAccountRecord = z.object({ id, name: text.nullish().catch(null) });

export const SubscribedApp = z.object({
  whatsapp_business_api_data: z.object({ id, name: text.nullish().catch(null) }),
  override_callback_uri: text.nullish().catch(null),
});

export const SuccessAnswer = z.object({ success: z.literal(true) });
export const CreationAnswer = z.object({ id, status: text.nullish(), category: text.nullish() });

/** A bare object id, such as the app of a token or an upload session. */
export const Named = z.object({ id });

export const UploadedFile = z.object({ h: z.string().min(1) });
