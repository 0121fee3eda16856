import { z } from "zod";
import { readIpRanges } from "@/lib/api-keys/limit-fields";
import { EMAIL_ADDRESS } from "@/lib/auth/account-fields";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "@/lib/auth/credential-limits";
import { isRecord } from "@/lib/core/json";
import { plainNumber, readPhone } from "@/lib/core/phone";
import { MAX_RETENTION_DAYS, PERMISSIONS, PLAN_NAMES } from "@/lib/core/principal";
import { characterCount, quote } from "@/lib/core/text";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { isTimeZone } from "@/lib/workspaces/workspace-fields";

export type ProvisionDocument = z.output<typeof Document>;
export type ProvisionedMember = ProvisionDocument["workspaces"][number]["members"][number];
export type ProvisionedPhoneNumber = ProvisionDocument["workspaces"][number]["phoneNumbers"][number];
export type ProvisionedTemplate = ProvisionDocument["workspaces"][number]["templates"][number];
export type ProvisionedContact = ProvisionDocument["workspaces"][number]["contacts"][number];
export type ProvisionedApiKey = ProvisionDocument["workspaces"][number]["apiKeys"][number];

/** Reads a provisioning file's content; on failure returns one sentence per fault, starting with its path. */
export function readDocument(content: unknown): { document: ProvisionDocument } | { faults: string[] } {
  const repetitions = duplicateFaults(content);
  const result = Document.safeParse(content, { error: sentence });
  if (result.success && repetitions.length === 0) return { document: result.data };
  return { faults: [...(result.error?.issues ?? []).flatMap(faultsOf), ...repetitions] };
}

const text = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1, "must not be empty")
    .refine((value) => characterCount(value) <= maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !/\p{Cc}/u.test(value), "must not hold control characters");

const ref = text(64);
const mode = z.enum(["live", "test"]);
const whatsappId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");
const list = <T extends z.ZodType>(item: T) => z.array(item).default([]);

const phone = z.string().transform((given, context) => {
  const reading = readPhone(given);
  if ("phone" in reading) return reading.phone;
  context.addIssue({ code: "custom", message: `is not a phone number: ${reading.fault}` });
  return z.NEVER;
});

const timeZone = z.string().refine(isTimeZone, {
  error: ({ input }) => `must be a time zone such as Europe/Berlin, not ${quote(String(input))}`,
});

const Member = z.strictObject({
  email: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(
      z.email({
        pattern: EMAIL_ADDRESS,
        error: ({ input }) => `must be an email address, not ${quote(String(input))}`,
      }),
    ),
  /**
   * Absent: an existing account keeps its password, a new one can sign in through a provider only. An account
   * that was created by sign-up needs one.
   */
  password: z
    .string()
    .refine(
      (value) => characterCount(value) >= PASSWORD_MIN_LENGTH,
      `must have at least ${PASSWORD_MIN_LENGTH} characters`,
    )
    .refine(
      (value) => characterCount(value) <= PASSWORD_MAX_LENGTH,
      `must have at most ${PASSWORD_MAX_LENGTH} characters`,
    )
    .optional(),
  name: text(100).optional(),
  role: z.enum(["owner", "admin", "member"]),
});

const PhoneNumber = z.strictObject({
  ref,
  label: text(100),
  mode,
  displayPhoneNumber: z.string().transform(plainNumber).pipe(text(40)),
  whatsappPhoneNumberId: whatsappId,
  whatsappBusinessAccountId: whatsappId,
  accessToken: text(4_096),
  isActive: z.boolean().optional(),
  isDefault: z.boolean().optional(),
});

/** A template as WhatsApp lists it; fields that we do not use are allowed. */
const TemplateRecord = z.looseObject({
  id: z.union([z.string().min(1), z.number().int()]).transform(String),
  name: text(MAX_CHARACTERS.templateName),
  language: text(35),
  status: text(64),
  category: text(64),
  parameter_format: text(64).optional(),
  components: z.array(
    z.custom<Record<string, unknown>>(isComponent, "must be an object with a text `type`, such as BODY"),
  ),
  quality_score: z.union([z.string(), z.looseObject({ score: z.string() })]).nullish(),
  rejected_reason: z.string().nullish(),
});

const ipRanges = z.array(z.string()).transform((given, context) => {
  const reading = readIpRanges(given);
  if ("ranges" in reading) return reading.ranges;
  for (const { line, fault } of reading.faults) {
    context.addIssue({ code: "custom", message: `is wrong: ${fault}`, path: [line - 1] });
  }
  return z.NEVER;
});

const some = <T extends z.ZodType>(item: T) => z.array(item).min(1, "must not be empty").max(200, "has too many");

/** What a file limits a key to; an absent field is no limit. Lines by their refs. */
const Limits = z.strictObject({
  permissions: some(z.enum(PERMISSIONS)).optional(),
  phoneNumbers: some(ref).optional(),
  templates: some(text(MAX_CHARACTERS.templateName)).optional(),
  ipRanges: ipRanges.refine((ranges) => ranges.length > 0, "must not be empty").optional(),
  monthlyCap: z.int().min(1, "must be at least 1").max(2_147_483_647, "is too large").optional(),
});

const ApiKey = z.strictObject({
  ref,
  label: text(100).optional(),
  mode,
  /** Takes the place of all limits; null for none. */
  limits: Limits.nullable().optional(),
  expiresAt: z.iso
    .datetime({ offset: true, error: "must be a time such as 2027-03-01T00:00:00Z" })
    .transform((at) => new Date(at))
    .nullable()
    .optional(),
});

const Workspace = z.strictObject({
  ref,
  name: text(100),
  plan: z.enum(PLAN_NAMES).optional(),
  messageLimit: z.int().min(0, "must not be negative").max(2_147_483_647, "is too large").nullable().optional(),
  timeZone: timeZone.optional(),
  /** Days until message contents are removed; null resets to the deployment's default. */
  retentionDays: z
    .int()
    .min(1, "must be at least 1")
    .max(MAX_RETENTION_DAYS, `must be at most ${MAX_RETENTION_DAYS}`)
    .nullable()
    .optional(),
  members: list(Member),
  phoneNumbers: list(PhoneNumber),
  templates: list(z.strictObject({ mode, whatsappBusinessAccountId: whatsappId, template: TemplateRecord })),
  contacts: list(z.strictObject({ ref, phone, name: text(200).optional() })),
  apiKeys: list(ApiKey),
});

const Document = z.strictObject({ workspaces: list(Workspace) });

function isComponent(value: unknown) {
  return isRecord(value) && typeof value.type === "string";
}

const sentence: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== "unrecognized_keys" && issue.input === undefined) return "is required";
  if (issue.code === "invalid_type" && issue.expected === "int") return "must be a whole number";
  // The type, not the value: it may be a secret in the wrong format.
  if (issue.code === "invalid_type")
    return `must be ${KINDS[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`;
  if (issue.code === "invalid_value")
    return `must be one of ${issue.values.join(", ")}, not ${quote(String(issue.input))}`;
  if (issue.code === "invalid_union") return `does not have WhatsApp's format: ${kindOf(issue.input)}`;
  return undefined;
};

const KINDS: Record<string, string> = {
  array: "an array",
  object: "an object",
  string: "a string",
  boolean: "true or false",
  number: "a whole number",
};

function kindOf(input: unknown) {
  if (input === null) return "null";
  if (Array.isArray(input)) return "an array";
  return typeof input === "object" ? "an object" : `a ${typeof input}`;
}

function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${placeOf([...issue.path, key])} is not a field of this file.`);
  }
  return [`${placeOf(issue.path)} ${issue.message.replace(/\.$/, "")}.`];
}

const placeOf = (path: PropertyKey[]) =>
  path.reduce<string>((place, step) => {
    if (typeof step === "number") return `${place}[${step}]`;
    return place ? `${place}.${String(step)}` : String(step);
  }, "") || "The file";

type Item = Record<string, unknown>;
type KeyOf = (item: Item) => string | undefined;

/** What must be unique within its list; the text goes between the second item's path and the first's. */
const UNIQUE: Record<string, [words: string, keyOf: KeyOf][]> = {
  members: [["has the same email as", (item) => textOf(item.email)?.trim().toLowerCase()]],
  phoneNumbers: [
    ["has the same ref as", (item) => textOf(item.ref)?.trim()],
    ["has the same whatsappPhoneNumberId and mode as", (item) => joined(item.mode, item.whatsappPhoneNumberId)],
    ["is the default line of its mode, and so is", (item) => (item.isDefault === true ? textOf(item.mode) : undefined)],
  ],
  templates: [
    [
      "has the same mode, business account, name and language as",
      ({ mode, whatsappBusinessAccountId, template }) =>
        isRecord(template) ? joined(mode, whatsappBusinessAccountId, template.name, template.language) : undefined,
    ],
  ],
  contacts: [
    ["has the same ref as", (item) => textOf(item.ref)?.trim()],
    ["has the same phone as", (item) => canonicalPhone(item.phone)],
  ],
  apiKeys: [["has the same ref as", (item) => textOf(item.ref)?.trim()]],
};

/** Returns all duplicates. Reads unvalidated input, so that one run reports these faults with all others. */
function duplicateFaults(content: unknown): string[] {
  const workspaces = isRecord(content) ? itemsOf(content.workspaces) : [];
  const inLists = workspaces.flatMap(({ place, item }) =>
    Object.entries(UNIQUE).flatMap(([name, rules]) => {
      const items = itemsOf(item[name], `${place}.${name}`);
      return rules.flatMap(([words, keyOf]) => repeated(items, words, keyOf));
    }),
  );
  return [
    ...repeated(workspaces, "has the same ref as", (item) => textOf(item.ref)?.trim()),
    ...inLists,
    ...conflictingPasswords(workspaces),
  ];
}

type Placed = { place: string; item: Item };

function repeated(items: Placed[], words: string, keyOf: KeyOf): string[] {
  const firstPlaces = new Map<string, string>();
  return items.flatMap(({ place, item }) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    const first = firstPlaces.get(key);
    if (first !== undefined) return [`${place} ${words} ${first}.`];
    firstPlaces.set(key, place);
    return [];
  });
}

/** Returns conflicting passwords: a person has one password for all workspaces. */
function conflictingPasswords(workspaces: Placed[]): string[] {
  const known = new Map<string, { place: string; password: string }>();
  const members = workspaces.flatMap(({ place, item }) => itemsOf(item.members, `${place}.members`));
  return members.flatMap(({ place, item }) => {
    const email = textOf(item.email)?.trim().toLowerCase();
    const password = textOf(item.password);
    if (email === undefined || password === undefined) return [];
    const first = known.get(email);
    if (first && first.password !== password) return [`${place} gives ${email} another password than ${first.place}.`];
    known.set(email, { place, password });
    return [];
  });
}

const itemsOf = (value: unknown, place = "workspaces"): Placed[] =>
  Array.isArray(value)
    ? value.flatMap((item: unknown, index) => (isRecord(item) ? [{ place: `${place}[${index}]`, item }] : []))
    : [];

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

const joined = (...parts: unknown[]) =>
  parts.every((part) => typeof part === "string") ? JSON.stringify(parts) : undefined;

function canonicalPhone(value: unknown) {
  const reading = typeof value === "string" ? readPhone(value) : undefined;
  return reading && "phone" in reading ? reading.phone : undefined;
}
