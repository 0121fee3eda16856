"use server";

import { revalidatePath } from "next/cache";
import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { syncAllTemplates } from "@/lib/templates/sync-all-templates";

export const syncTemplates = memberAction(
  { may: "syncTemplates", input: z.object({ mode: z.enum(["live", "test"]) }) },
  async ({ member: { workspaceId } }, { mode }) => {
    const synced = await syncAllTemplates(workspaceId, mode);
    revalidatePath("/dashboard/templates", "layout");
    return synced;
  },
);
