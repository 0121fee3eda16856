"use server";

import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { revealRequest } from "@/lib/messages/reveal-request";
import { toSendBody } from "@/lib/public-api/send-body";
import { jsonText } from "@/lib/snippets/snippets";

/** The body of the send as a call would write it; null once it was removed. */
export const revealBody = memberAction(
  { may: "seeBodies", input: z.object({ messageId: z.string().max(100) }) },
  async ({ member, by }, { messageId }) => {
    const { request } = await revealRequest(member.workspaceId, messageId, by);
    return request && jsonText(toSendBody(request));
  },
);
