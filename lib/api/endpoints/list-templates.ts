import { z } from "zod";
import { readInstant } from "@/db/raw-sql";
import { endpoint, READ_ERRORS } from "@/lib/api/endpoint";
import { readJson } from "@/lib/core/json";
import type { Principal } from "@/lib/core/principal";
import { characterCount } from "@/lib/core/text";
import { findRequestedLine } from "@/lib/phone-numbers/choose-line";
import { readDefinition } from "@/lib/templates/definition";
import { type ApprovedTemplate, componentsOf, listApproved, type TemplateFilters } from "@/lib/templates/queries";
import { listVariables } from "@/lib/templates/variable-keys";

/** The public template record: `components` are WhatsApp's, `variables` the keys that a send must or may fill. */
export const Template = z
  .strictObject({
    id: z.string().describe("Our id of the template."),
    name: z.string().describe("What `templateName` takes."),
    language: z.string().describe("What `templateLanguage` takes."),
    category: z.string().describe("`UTILITY`, `MARKETING` or `AUTHENTICATION`."),
    status: z.string().describe("Always `APPROVED` in this list."),
    parameterFormat: z.string().describe("`POSITIONAL` for `{{1}}`, `NAMED` for `{{order_number}}`."),
    components: z.unknown().describe("Its parts, as WhatsApp writes them."),
    variables: z
      .array(
        z.strictObject({
          key: z.string().describe("The key in `templateVariables`."),
          where: z.array(z.string()).describe("Every place that takes the value: `body`, `button 0 url`."),
          example: z.string().nullable().describe("The template’s own sample."),
          maxLength: z.int().nullable().describe("In characters; null where there is no limit of ours."),
          required: z.boolean().describe("Whether a send without it is refused."),
          oneOf: z
            .array(z.string())
            .optional()
            .describe("Where there is a choice: the keys of which a send brings exactly one, this one among them."),
          fillWith: z
            .literal("templateComponents")
            .optional()
            .describe(
              "Only there where no string can fill the place: send `templateComponents`. Otherwise `templateVariables` does.",
            ),
        }),
      )
      .describe("The keys that a send fills."),
    qualityScore: z
      .string()
      .nullable()
      .describe("WhatsApp’s: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null where it gave none."),
    phoneNumberIds: z.array(z.string()).describe("The lines of its business account, paused ones included."),
    updatedAt: z.iso.datetime().describe("When we last saw it change."),
  })
  .meta({ id: "Template" });

export type Template = z.infer<typeof Template>;

export function toTemplateResource(template: ApprovedTemplate) {
  const { id, name, language, category, status, parameterFormat, qualityScore, updatedAt } = template;
  const components = componentsOf(template);
  const definition = readDefinition({ name, language, category, parameterFormat, components });
  const phoneNumberIds: string[] = JSON.parse(template.phoneNumberIds);
  return {
    id,
    name,
    language,
    category,
    status,
    parameterFormat,
    components,
    variables: [...listVariables(definition)],
    qualityScore,
    phoneNumberIds,
    updatedAt: readInstant(updatedAt).toISOString(),
  } satisfies Template;
}

/** With the row that it was made of: it is used for an equal row only. */
type Kept = { row: ApprovedTemplate; text: string };

/** Some thousand templates: a text is about 1 KB, a carousel up to 20. */
const MAX_KEPT_CHARACTERS = 8 * 1_024 * 1_024;

/** By template; the ones that were listed last are at the end. */
const kept = new Map<string, Kept>();
let keptCharacters = 0;

/** Returns the record as JSON, which is written once for each change of its row. */
export function templateJson(row: ApprovedTemplate): string {
  const known = kept.get(row.id);
  const text = known && isSame(known.row, row) ? known.text : JSON.stringify(toTemplateResource(row));
  if (known) forget(known);
  kept.set(row.id, { row, text });
  keptCharacters += charactersOf({ row, text });
  for (const oldest of kept.values()) {
    if (keptCharacters <= MAX_KEPT_CHARACTERS) break;
    forget(oldest);
  }
  return text;
}

function forget(one: Kept): void {
  kept.delete(one.row.id);
  keptCharacters -= charactersOf(one);
}

const charactersOf = ({ row, text }: Kept): number => row.components.length + text.length;

const isSame = (one: ApprovedTemplate, other: ApprovedTemplate): boolean =>
  (Object.keys(one) as (keyof ApprovedTemplate)[]).every((field) => one[field] === other[field]);

export const TEMPLATE_EXAMPLE: Template = {
  id: "tpl_01kd7x2m9q4v8c3t6w1z5r0n",
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  parameterFormat: "POSITIONAL",
  components: [{ type: "BODY", text: "Hi {{1}}, your order {{2}} is ready." }],
  variables: [
    { key: "1", where: ["body"], example: "Ana", maxLength: 160, required: true },
    { key: "2", where: ["body"], example: "A-42", maxLength: 160, required: true },
  ],
  qualityScore: "GREEN",
  phoneNumberIds: ["pn_01kd7x2m9q4v8c3t6w1z5r0n"],
  updatedAt: "2026-01-05T12:00:00.000Z",
};

export type TemplateCursor = { name: string; language: string; id: string };

const MAX_LIMIT = 100;
const MAX_FILTER_CHARACTERS = 512;

const filter = (description: string) =>
  z
    .string()
    .refine((text) => !text.includes("\0"), "contains a NUL character. Remove it")
    .refine(
      (text) => characterCount(text) <= MAX_FILTER_CHARACTERS,
      `has more than ${MAX_FILTER_CHARACTERS} characters`,
    )
    .transform((text) => text || undefined)
    .optional()
    .meta({ maxLength: MAX_FILTER_CHARACTERS, description });

/** An empty filter is ignored. */
const FILTERS = {
  name: filter("Templates of this name only."),
  language: filter("Templates in this language only, such as `en_US`."),
  category: filter("`UTILITY`, `MARKETING` or `AUTHENTICATION` only."),
} satisfies Record<keyof TemplateFilters, unknown>;

export const TEMPLATE_QUERY = z.strictObject({
  ...FILTERS,
  phoneNumberId: filter("Templates of this line’s business account only."),
  limit: z
    .string()
    .refine(
      (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_LIMIT,
      `must be a whole number from 1 to ${MAX_LIMIT}`,
    )
    .transform(Number)
    .optional()
    .meta({
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: "How many a page has. Without it all come at once.",
    }),
  cursor: z
    .string()
    .transform((text, { addIssue }) => {
      const cursor = readCursor(text);
      if (!cursor) addIssue(INVALID_CURSOR);
      return cursor;
    })
    .optional()
    .describe("`data.nextCursor` of the page before, unchanged."),
});

const INVALID_CURSOR = "is not a valid cursor. Pass `data.nextCursor` of the previous page, unchanged";

export function writeCursor({ name, language, id }: TemplateCursor): string {
  return Buffer.from(JSON.stringify([name, language, id])).toString("base64url");
}

const CursorText = z.string().refine((text) => !text.includes("\0") && text.isWellFormed());
const Cursor = z.tuple([CursorText, CursorText, CursorText]);

function readCursor(given: string): TemplateCursor | undefined {
  const parts = Cursor.safeParse(readJson(Buffer.from(given, "base64url").toString("utf8"))).data;
  return parts && { name: parts[0], language: parts[1], id: parts[2] };
}

export const listTemplatesEndpoint = endpoint({
  id: "listTemplates",
  method: "GET",
  path: "/templates",
  tag: "Templates",
  operation: "templates",
  summary: "List the approved templates",
  description:
    "Returns the templates that WhatsApp has approved for the lines of the workspace, with the variables that a send fills. A key with limits gets those that it may send.",
  query: TEMPLATE_QUERY,
  responses: {
    200: {
      description: "The approved templates, or a page of them.",
      data: z.object({
        templates: z.array(Template).describe("The records."),
        nextCursor: z.string().nullish().describe("The `cursor` of the next page; null on the last."),
      }),
      example: { templates: [TEMPLATE_EXAMPLE], nextCursor: null },
    },
  },
  errors: [...READ_ERRORS, "PHONE_NUMBER_NOT_FOUND"],
  examples: { "": {} },
  handle: async ({ principal, query }) => ({ status: 200, json: await listPublicTemplates(principal, query) }),
});

/** Returns all, or a page with the next cursor, as JSON. Throws PHONE_NUMBER_NOT_FOUND for a line of another workspace. */
async function listPublicTemplates(
  { workspaceId, mode, limits, lines }: Principal,
  { phoneNumberId, limit, cursor: after, ...filters }: z.output<typeof TEMPLATE_QUERY>,
): Promise<string> {
  // A paused line still has its templates.
  const seen = { workspaceId, mode, limits, lines: lines.map((line) => ({ ...line, isActive: true })) };
  const line = phoneNumberId === undefined ? undefined : await findRequestedLine(seen, phoneNumberId);
  const account = line?.whatsappBusinessAccountId;
  const filter = { ...filters, mode, whatsappBusinessAccountId: account, limits };
  if (limit === undefined) {
    return `{"templates":${jsonOf(await listApproved(workspaceId, filter, { after }))}}`;
  }
  const found = await listApproved(workspaceId, filter, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = found.length > limit && last ? writeCursor(last) : null;
  return `{"templates":${jsonOf(page)},"nextCursor":${JSON.stringify(nextCursor)}}`;
}

const jsonOf = (templates: ApprovedTemplate[]): string => `[${templates.map(templateJson).join(",")}]`;
