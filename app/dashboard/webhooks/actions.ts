"use server";

import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { checkWebhook } from "@/lib/phone-numbers/check-webhook";

export const runWebhookCheck = memberAction({ may: "manageLines", input: z.object({}) }, () => checkWebhook());
