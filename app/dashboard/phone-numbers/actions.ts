"use server";

import { z } from "zod";
import { memberAction, step } from "@/lib/auth/action";
import { startTesting } from "@/lib/dashboard/start-testing";
import {
  AccessToCheck,
  accessToken,
  label,
  SignUpFields,
  whatsappPhoneNumberId,
} from "@/lib/phone-numbers/access-fields";
import * as lines from "@/lib/phone-numbers/change-line";
import { checkLine } from "@/lib/phone-numbers/check-line";
import { checkWebhook } from "@/lib/phone-numbers/check-webhook";
import { addTestLine, connectPhoneNumber } from "@/lib/phone-numbers/connect-phone-number";
import { signUpLine } from "@/lib/phone-numbers/sign-up-line";
import { wakeReaders } from "@/lib/templates/run-due-reads";

const may = "manageLines";
const phoneNumberId = z.string().max(100);
const OneLine = z.object({ phoneNumberId }).transform((given) => given.phoneNumberId);

/** Lines appear on many pages: the Overview, lists, the send form. */
const refreshes = "/dashboard";

export const pauseLine = memberAction({ may, input: OneLine, refreshes }, step(lines.pauseLine));
export const resumeLine = memberAction({ may, input: OneLine, refreshes }, step(lines.resumeLine));
export const makeDefaultLine = memberAction({ may, input: OneLine, refreshes }, step(lines.makeDefaultLine));
export const subscribeLineApp = memberAction({ may, input: OneLine, refreshes }, step(lines.subscribeLine));
export const removeLine = memberAction({ may, input: OneLine, refreshes }, step(lines.disconnectLine));

export const connectLine = memberAction(
  { may, input: AccessToCheck.extend({ label, whatsappPhoneNumberId }), refreshes },
  async ({ member, by }, input) => {
    const { id } = await connectPhoneNumber(member.workspaceId, input, by);
    wakeReaders();
    return { id };
  },
);

export const connectSignedUpLine = memberAction(
  { may, input: SignUpFields, refreshes },
  async ({ member, by }, input) => {
    const signedUp = await signUpLine(member.workspaceId, input, by);
    wakeReaders();
    return signedUp;
  },
);

export const addSandboxLine = memberAction(
  { may, input: z.object({ label }), refreshes },
  async ({ member, by }, input) => {
    const { id } = await addTestLine(member.workspaceId, input, by);
    return { id };
  },
);

export const renameLine = memberAction(
  { may, input: z.object({ phoneNumberId, label }), refreshes },
  async ({ member, by }, { phoneNumberId: id, ...named }) => {
    await lines.renameLine(member.workspaceId, { id, ...named }, by);
  },
);

export const replaceLineToken = memberAction(
  { may, input: z.object({ phoneNumberId, accessToken }), refreshes },
  async ({ member, by }, { phoneNumberId: id, ...token }) => {
    await lines.replaceToken(member.workspaceId, { id, ...token }, by);
    wakeReaders();
  },
);

/** Checks the line at WhatsApp and stores the results; it changes no setting of the line. */
export const runLineCheck = memberAction({ may, input: OneLine, refreshes }, ({ member }, id) =>
  checkLine(member.workspaceId, id),
);

export const runWebhookCheck = memberAction({ may, input: z.object({}) }, () => checkWebhook());

/** Nothing is revalidated: the page stays as it is until the secret is stored. */
export const createTestSetup = memberAction({ may, input: z.object({}) }, ({ member, by }) =>
  startTesting(member.workspaceId, by),
);
