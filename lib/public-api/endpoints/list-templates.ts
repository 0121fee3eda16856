import { z } from "zod";
import type { Principal } from "@/lib/core/principal";
import { findRequestedLine } from "@/lib/phone-numbers/choose-line";
import { endpoint, READ_ERRORS } from "@/lib/public-api/endpoint";
import { TEMPLATE_EXAMPLE, Template, templateJson } from "@/lib/public-api/template-resource";
import { type ApprovedTemplate, listApproved } from "@/lib/templates/queries";

export type TemplateCursor = { name: string; language: string; id: string };

const MAX_LIMIT = 100;
const MOST_FILTER_CHARACTERS = 512;

const filter = (description: string) =>
  z
    .string()
    .refine((text) => !text.includes("\0"), "contains a NUL character. Remove it")
    .refine((text) => text.length <= MOST_FILTER_CHARACTERS, `has more than ${MOST_FILTER_CHARACTERS} characters`)
    .transform((text) => text || undefined)
    .optional()
    .meta({ maxLength: MOST_FILTER_CHARACTERS, description });

/** An empty filter is ignored. */
export const TEMPLATE_QUERY = z.object({
  name: filter("Templates of this name only."),
  language: filter("Templates in this language only, such as `en_US`."),
  category: filter("`UTILITY`, `MARKETING` or `AUTHENTICATION` only."),
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

const readCursor = (given: string): TemplateCursor | undefined => {
  try {
    const [name, language, id]: unknown[] = JSON.parse(Buffer.from(given, "base64url").toString("utf8"));
    const isText = (value: unknown): value is string =>
      typeof value === "string" && !value.includes("\0") && value.isWellFormed();
    if (isText(name) && isText(language) && isText(id)) return { name, language, id };
  } catch {
    // Foreign JSON is reported like invalid JSON.
  }
  return undefined;
};

export const listTemplatesEndpoint = endpoint({
  id: "listTemplates",
  method: "GET",
  path: "/templates",
  tag: "Templates",
  operation: "templates",
  summary: "List the approved templates",
  description:
    "Returns the templates that WhatsApp has approved for the lines of the workspace, with the variables that a send fills.",
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
const listPublicTemplates = async (
  { workspaceId, mode, lines }: Principal,
  { name, language, category, phoneNumberId, limit, cursor: after }: z.output<typeof TEMPLATE_QUERY>,
): Promise<string> => {
  // A paused line still has its templates.
  const seen = { workspaceId, mode, lines: lines.map((line) => ({ ...line, isActive: true })) };
  const line = phoneNumberId === undefined ? undefined : await findRequestedLine(seen, phoneNumberId);
  const filter = { mode, name, language, category, whatsappBusinessAccountId: line?.whatsappBusinessAccountId };
  if (limit === undefined) {
    return `{"templates":${jsonOf(await listApproved(workspaceId, filter, { after }))}}`;
  }
  const found = await listApproved(workspaceId, filter, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = found.length > limit && last ? writeCursor(last) : null;
  return `{"templates":${jsonOf(page)},"nextCursor":${JSON.stringify(nextCursor)}}`;
};

const jsonOf = (templates: ApprovedTemplate[]): string => `[${templates.map(templateJson).join(",")}]`;
