"use server";

import { headers } from "next/headers";
import { z } from "zod";
import { Email } from "@/lib/auth/account-fields";
import { visitorAction } from "@/lib/auth/action";
import { accountDigest, countedForm, countedMail } from "@/lib/auth/attempts";
import { mailResetLink } from "@/lib/auth/reset-password";
import { AppError } from "@/lib/core/app-error";
import { keepFunctionAlive } from "@/lib/core/due-work";
import { errorFields, log } from "@/lib/core/log";
import { callerAddress } from "@/lib/http/request-headers";
import { sendsMail } from "@/lib/mail/queue-mail";

/** Answers the same for every address before it looks anything up: neither text nor time reveals which have an account. */
export const askForReset = visitorAction({ input: z.object({ email: Email }) }, async ({ email }) => {
  if (!sendsMail()) throw new AppError("NOT_FOUND", "This server sends no e-mail.");
  await countedForm("resetMail", callerAddress(await headers()), async () =>
    countedMail("passwordReset", accountDigest(email), async () => {
      const work = mailResetLink(email).catch((error: unknown) => log("error", "mail.not-queued", errorFields(error)));
      keepFunctionAlive(work);
    }),
  );
  return { email };
});
