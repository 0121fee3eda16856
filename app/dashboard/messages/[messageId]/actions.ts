"use server";

import { z } from "zod";
import { toSendBody } from "@/lib/api/send-body";
import { memberAction } from "@/lib/auth/action";
import { jsonText } from "@/lib/docs/literals";
import { revealRequest, revealWebhook } from "@/lib/messages/list/reveal-contents";

/** The body of the send as a call would write it; null once it was removed. */
export const revealBody = memberAction(
  { may: "seeBodies", input: z.object({ messageId: z.string().max(100) }) },
  async ({ member, by }, { messageId }) => {
    const { request } = await revealRequest(member.workspaceId, messageId, by);
    return request && jsonText(toSendBody(request));
  },
);

/** WhatsApp's own words about an event; null once it was removed. */
export const revealRaw = memberAction(
  { may: "seeBodies", input: z.object({ eventId: z.string().max(100) }) },
  async ({ member, by }, { eventId }) => {
    const raw = await revealWebhook(member.workspaceId, eventId, by);
    return raw === null ? null : jsonText(raw);
  },
);
