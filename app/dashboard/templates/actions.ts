"use server";

import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { createTemplate as create } from "@/lib/templates/create-template";
import { syncAllTemplates } from "@/lib/templates/sync-all-templates";
import { TemplateDraft } from "@/lib/whatsapp/draft";

export const syncTemplates = memberAction(
  { may: "syncTemplates", input: z.object({ mode: z.enum(["live", "test"]) }), refreshes: "/dashboard/templates" },
  ({ member }, { mode }) => syncAllTemplates(member.workspaceId, mode),
);

/** The draft is the JSON of one field: its parts nest. */
const NewTemplate = z.object({
  mode: z.enum(["live", "test"]),
  phoneNumberId: z.string().max(100),
  edits: z.string().max(100).optional(),
  draft: z.string().max(200_000).transform(parseDraft).pipe(TemplateDraft),
});

export const createTemplate = memberAction(
  { may: "createTemplate", input: NewTemplate, refreshes: "/dashboard/templates" },
  ({ member, by }, input) => create(member.workspaceId, { ...input, by }),
);

function parseDraft(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) => {
      if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) throw new Error("not storable");
      return value;
    });
  } catch {
    return undefined;
  }
}
