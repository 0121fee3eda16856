"use server";

import { headers } from "next/headers";
import { z } from "zod";
import { userAction } from "@/lib/auth/action";
import { turnOnFactor } from "@/lib/auth/change-second-factor";
import { provePerson } from "@/lib/auth/prove-person";
import { visitorOf } from "@/lib/auth/visitor";

const SetUp = z.object({
  sealed: z.string().max(500),
  code: z.string().max(100),
  current: z.string().max(1_000).default(""),
});

/** A stolen session must not lock its owner out: the password is asked for, too. */
export const turnOn = userAction({ input: SetUp, isSetUp: true }, async ({ user, by }, { sealed, code, current }) => {
  const visitor = visitorOf(await headers());
  const checkedHash = await provePerson(user, visitor, { password: current, purpose: "set up a second factor" });
  const acting = { ...user, visitor, requestId: by.requestId ?? "" };
  return { codes: await turnOnFactor(acting, { sealed, code, checkedHash }) };
});
