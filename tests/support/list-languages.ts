import { z } from "zod";
import { endpoint, READ_ERRORS } from "@/lib/api/endpoint";
import { listApproved } from "@/lib/templates/queries";

const Language = z
  .strictObject({
    code: z.string().describe("What `templateLanguage` takes."),
    templates: z.int().describe("How many approved templates are in it."),
  })
  .meta({ id: "Language" });

export const listLanguagesEndpoint = endpoint({
  id: "listLanguages",
  method: "GET",
  path: "/templates/languages",
  tag: "Templates",
  operation: "other",
  summary: "List the languages of the templates",
  description: "Returns each language that an approved template has.",
  query: z.object({ category: z.string().max(20).optional().describe("Of this category only.") }),
  responses: {
    200: {
      description: "The languages.",
      data: z.strictObject({ languages: z.array(Language).describe("By code.") }),
      example: { languages: [{ code: "en_US", templates: 2 }] },
    },
  },
  errors: READ_ERRORS,
  examples: { "": {} },
  handle: async ({ principal, query }) => {
    const templates = await listApproved(principal.workspaceId, { mode: principal.mode, ...query });
    const codes = [...new Set(templates.map(({ language }) => language))].toSorted();
    const countOf = (code: string) => templates.filter(({ language }) => language === code).length;
    return { status: 200, data: { languages: codes.map((code) => ({ code, templates: countOf(code) })) } };
  },
});
