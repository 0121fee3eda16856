"use server";

import { z } from "zod";
import { type Acting, memberAction } from "@/lib/auth/action";
import type { WorkspaceId } from "@/lib/core/principal";
import {
  AccessToCheck,
  accessToken,
  label,
  SignUpFields,
  whatsappPhoneNumberId,
} from "@/lib/phone-numbers/access-fields";
import * as lines from "@/lib/phone-numbers/change-line";
import { disconnectLine, replaceToken, subscribeLine } from "@/lib/phone-numbers/change-line";
import { checkLine } from "@/lib/phone-numbers/check-line";
import { addTestLine, connectPhoneNumber } from "@/lib/phone-numbers/connect-phone-number";
import { signUpLine } from "@/lib/phone-numbers/sign-up-line";
import { wakeReaders } from "@/lib/templates/run-due-reads";
import type { Author } from "@/lib/workspaces/author";

const may = "manageLines";
const phoneNumberId = z.string().max(100);
const OneLine = z.object({ phoneNumberId });

/** A line is in the menu's counts, in lists and in the docs of its workspace. */
const refreshes = "/dashboard";

/** A step on one line that needs no more than its id. */
const onLine =
  (step: (workspaceId: WorkspaceId, id: string, by: Author) => Promise<unknown>) =>
  async ({ member, by }: Acting, input: z.infer<typeof OneLine>): Promise<void> => {
    await step(member.workspaceId, input.phoneNumberId, by);
  };

export const pauseLine = memberAction({ may, input: OneLine, refreshes }, onLine(lines.pauseLine));
export const resumeLine = memberAction({ may, input: OneLine, refreshes }, onLine(lines.resumeLine));
export const makeDefaultLine = memberAction({ may, input: OneLine, refreshes }, onLine(lines.makeDefaultLine));
export const subscribeLineApp = memberAction({ may, input: OneLine, refreshes }, onLine(subscribeLine));
export const removeLine = memberAction({ may, input: OneLine, refreshes }, onLine(disconnectLine));

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
  { may, input: OneLine.extend({ label }), refreshes },
  async ({ member, by }, { phoneNumberId: id, ...named }) => {
    await lines.renameLine(member.workspaceId, { id, ...named }, by);
  },
);

export const replaceLineToken = memberAction(
  { may, input: OneLine.extend({ accessToken }), refreshes },
  async ({ member, by }, { phoneNumberId: id, ...token }) => {
    await replaceToken(member.workspaceId, { id, ...token }, by);
    wakeReaders();
  },
);

/** Asks WhatsApp, and keeps what it says; nothing that a person set is changed. */
export const runLineCheck = memberAction({ may, input: OneLine, refreshes }, ({ member }, input) =>
  checkLine(member.workspaceId, input.phoneNumberId),
);
