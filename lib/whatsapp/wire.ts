import { z } from "zod";
import { characterCount, cutText, shorten } from "@/lib/core/text";

const text = z.string().transform(storableText);

/** Ids are strings in responses and numbers in some webhooks; normalized to text. */
const id = z.union([z.string().min(1), z.number().int()]).transform((value) => storableText(String(value)));

/** Enums are plain text, because WhatsApp adds values without notice, but in one spelling. */
const constant = text.transform(constantSpelling);

export const TemplateRecord = z.object({
  id,
  name: text,
  language: text.transform(languageSpelling),
  status: constant,
  category: constant,
  parameter_format: constant.nullish(),
  components: z.array(z.unknown()).nullish(),
  quality_score: z
    .union([z.object({ score: constant.nullish() }), constant.transform((score) => ({ score }))])
    .nullish()
    .catch(null),
  rejected_reason: constant.nullish(),
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
    [
      z.object({
        id: z.string().regex(/^[\x21-\x7e]{1,512}$/),
        message_status: text.transform(lowerSpelling).nullish().catch(null),
      }),
    ],
    z.unknown(),
  ),
  /** WhatsApp's other ids of the recipient; ignored if missing or malformed. */
  contacts: z
    .tuple([z.object({ wa_id: z.unknown().optional(), user_id: z.unknown().optional() })], z.unknown())
    .nullish()
    .catch(null),
});

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

export const PhoneNumberRecord = z
  .object({
    id,
    display_phone_number: text,
    verified_name: text.nullish().catch(null),
    quality_rating: constant.nullish().catch(null),
    status: constant.nullish().catch(null),
    throughput: z.object({ level: constant.nullish() }).nullish().catch(null),
    whatsapp_business_manager_messaging_limit: z.unknown().optional().transform(tierOf),
  })
  .transform((record) => ({
    whatsappPhoneNumberId: record.id,
    displayPhoneNumber: cutText(reasonText(record.display_phone_number), 40),
    verifiedName: record.verified_name ?? null,
    qualityRating: record.quality_rating ?? null,
    status: record.status ?? null,
    throughput: record.throughput?.level ?? null,
    messagingLimit: record.whatsapp_business_manager_messaging_limit,
  }));

/** The readable records of one page. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  Page.transform(({ data }) => data.flatMap((raw) => item.safeParse(raw).data ?? []));

export const PhoneNumberList = listOf(PhoneNumberRecord);

const nameOrNull = text
  .nullish()
  .catch(null)
  .transform((name) => name ?? null);
const NamedObject = z.object({ id, name: nameOrNull });

export const AccountName = NamedObject.transform(({ name }) => name);

export const AccountOwner = z
  .object({ owner_business_info: NamedObject.nullish().catch(null) })
  .transform(({ owner_business_info: owner }) => owner ?? null);

export const SubscribedApps = listOf(
  z
    .object({ whatsapp_business_api_data: NamedObject, override_callback_uri: nameOrNull })
    .transform(({ whatsapp_business_api_data: { id, name }, override_callback_uri: overriddenBy }) => ({
      whatsappAppId: id,
      name,
      overriddenBy,
    })),
);

/** A token in exchange for a code; `expires_in` is left to the token's own inspection. */
export const ExchangedToken = z
  .object({ access_token: z.string().regex(/^[\x21-\x7e]{1,4096}$/) })
  .transform(({ access_token }) => access_token);

export const SuccessAnswer = z.object({ success: z.literal(true) });
export const CreationAnswer = z.object({ id, status: constant.nullish(), category: constant.nullish() });

/** A bare object id, such as that of a token's app or of uploaded media. */
export const Named = z.object({ id });

export const UploadSession = z.object({ id: id.refine((value) => /^upload:\S+$/.test(value)) });
/** The handle of an uploaded file. */
export const UploadedFile = z.object({ h: z.string().min(1) }).transform(({ h }) => h);

const REASON_CHARACTERS = 1_000;

/** Makes WhatsApp's text storable in Postgres: removes NUL, replaces lone surrogates with U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** Shortens WhatsApp's text for use in our messages, with a period; `details.platform` has all of it. */
export function asSentence(text: string, mostCharacters = 150): string {
  const shortened = shorten(text, mostCharacters);
  return /[.!?…]$/.test(shortened) ? shortened : `${shortened}.`;
}

/** Returns one line of at most 1,000 characters: line breaks and tabs become spaces, control characters go. */
export function reasonText(text: string): string {
  const line = storableText(text)
    .replace(/[\t\n\r]+/g, " ")
    .replace(/\p{Control}/gu, "")
    .trim();
  return cutText(line, REASON_CHARACTERS);
}

/** One change of a webhook, of any field. */
export type WebhookChange = {
  /** The entry's id: the business account's, except for a few partner events. */
  whatsappBusinessAccountId: string;
  value: Record<string, unknown>;
  /** The entry's time, or the time of receipt if it has none. */
  occurredAt: Date;
  receivedAt: Date;
};

const YEAR_2000_MS = Date.UTC(2000, 0, 1);
const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_ID_CHARACTERS = 512;
const MAX_WORD_CHARACTERS = 200;

/** Returns an id as text, even if WhatsApp sent a number; null if too long for an index. */
export function idOf(value: unknown): string | null {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return shortText(text, MAX_ID_CHARACTERS);
}

/** Returns a user id; null for digits only, which are always a phone number. */
export function userIdOf(value: unknown): string | null {
  const id = idOf(value);
  return id !== null && /^\d+$/.test(id) ? null : id;
}

/** Returns a text from WhatsApp without characters that Postgres rejects; null if there is none. */
export function wordOf(value: unknown): string | null {
  return shortText(value, MAX_WORD_CHARACTERS);
}

/**
 * Returns an enum's value in one spelling. WhatsApp writes `authentication-international` in webhooks and
 * `AUTHENTICATION_INTERNATIONAL` elsewhere, and lists' upper-case values in lower case when they are created.
 */
export function constantOf(value: unknown): string | null {
  const word = wordOf(value);
  return word && constantSpelling(word);
}

/** The same for the enums of messages, which are in lower case. */
export function enumOf(value: unknown): string | null {
  const word = wordOf(value);
  return word && lowerSpelling(word);
}

/** Returns a template's language as lists write it, `en_US`; some webhooks write `en-US`. */
export function languageOf(value: unknown): string | null {
  const word = wordOf(value);
  return word && languageSpelling(word);
}

/** Returns a messaging limit as `TIER_2K`; WhatsApp also writes it as `2000`, and no limit as `-1`. */
export function tierOf(value: unknown): string | null {
  const word = constantSpelling(idOf(value) ?? "");
  if (word === "") return null;
  if (word === "_1" || word === "UNLIMITED") return "TIER_UNLIMITED";
  return word.replace(/^(?:TIER_)?(\d{1,9})(K?)$/, (_, amount, thousands) =>
    thousands === "" && /000$/.test(amount) ? `TIER_${amount.slice(0, -3)}K` : `TIER_${amount}${thousands}`,
  );
}

function lowerSpelling(word: string): string {
  return word.toLowerCase().replace(/[\s-]+/g, "_");
}

function constantSpelling(word: string): string {
  return lowerSpelling(word).toUpperCase();
}

function languageSpelling(word: string): string {
  const [language = "", ...parts] = word.split(/[-_]/);
  return [language.toLowerCase(), ...parts.map((part) => (part.length === 2 ? part.toUpperCase() : part))].join("_");
}

/** Returns a phone number as 7 to 15 digits without the plus sign; null for anything else. */
export function digitsOf(value: unknown): string | null {
  const digits = idOf(value)?.replace(/[+\s().-]/g, "") ?? "";
  return /^\d{7,15}$/.test(digits) ? digits : null;
}

/** Parses Unix seconds. Anything invalid, before 2000 or more than `aheadMs` ahead (a day) becomes the time of receipt. */
export function instantOf(value: unknown, receivedAt: Date, { aheadMs = DAY_MS } = {}): Date {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^\d{1,12}$/.test(text)) return receivedAt;
  const ms = Number(text) * 1_000;
  return ms < YEAR_2000_MS || ms > receivedAt.getTime() + aheadMs ? receivedAt : new Date(ms);
}

function shortText(value: unknown, maxCharacters: number): string | null {
  if (typeof value !== "string") return null;
  const text = storableText(value).trim();
  return text !== "" && characterCount(text) <= maxCharacters ? text : null;
}
