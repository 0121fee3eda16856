"use server";

import { headers } from "next/headers";
import { z } from "zod";
import { visitorAction } from "@/lib/auth/action";
import { countedForm } from "@/lib/auth/attempts";
import { confirmEmail } from "@/lib/auth/confirm-email";
import { callerAddress } from "@/lib/http/request-headers";

// A person submits it: whatever opens links, such as a mail scanner, only reads the page.
export const confirm = visitorAction({ input: z.object({ token: z.string().max(200) }) }, async ({ token }) =>
  countedForm("passwordReset", callerAddress(await headers()), () => confirmEmail(token)),
);
