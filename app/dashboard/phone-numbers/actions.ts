"use server";

import { revalidatePath } from "next/cache";
import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { AccessToCheck, accessToken, label, whatsappPhoneNumberId } from "@/lib/phone-numbers/access-fields";
import { addTestLine } from "@/lib/phone-numbers/add-test-line";
import * as lines from "@/lib/phone-numbers/change-line";
import { checkLine } from "@/lib/phone-numbers/check-line";
import { connectPhoneNumber } from "@/lib/phone-numbers/connect-phone-number";
import { disconnectLine } from "@/lib/phone-numbers/disconnect-line";
import { replaceToken } from "@/lib/phone-numbers/replace-token";
import { subscribeLine } from "@/lib/phone-numbers/subscribe-line";
import { wakeReaders } from "@/lib/templates/run-due-reads";

const phoneNumberId = z.string().max(100);
const OneLine = z.object({ phoneNumberId });

/** A line is in the menu's counts, in lists and in the docs of its workspace. */
const changed = () => revalidatePath("/dashboard", "layout");

export const connectLine = memberAction(
  { may: "manageLines", input: AccessToCheck.extend({ label, whatsappPhoneNumberId }) },
  async ({ member, by }, input) => {
    const { id } = await connectPhoneNumber(member.workspaceId, input, by);
    wakeReaders();
    changed();
    return { id };
  },
);

export const addSandboxLine = memberAction(
  { may: "manageLines", input: z.object({ label }) },
  async ({ member, by }, input) => {
    const { id } = await addTestLine(member.workspaceId, input, by);
    changed();
    return { id };
  },
);

export const renameLine = memberAction(
  { may: "manageLines", input: z.object({ phoneNumberId, label }) },
  async ({ member, by }, input) => {
    await lines.renameLine(member.workspaceId, { id: input.phoneNumberId, label: input.label }, by);
    changed();
  },
);

export const pauseLine = memberAction({ may: "manageLines", input: OneLine }, async ({ member, by }, input) => {
  await lines.pauseLine(member.workspaceId, input.phoneNumberId, by);
  changed();
});

export const resumeLine = memberAction({ may: "manageLines", input: OneLine }, async ({ member, by }, input) => {
  await lines.resumeLine(member.workspaceId, input.phoneNumberId, by);
  changed();
});

export const makeDefaultLine = memberAction({ may: "manageLines", input: OneLine }, async ({ member, by }, input) => {
  await lines.makeDefaultLine(member.workspaceId, input.phoneNumberId, by);
  changed();
});

export const replaceLineToken = memberAction(
  { may: "manageLines", input: z.object({ phoneNumberId, accessToken }) },
  async ({ member, by }, input) => {
    await replaceToken(member.workspaceId, { id: input.phoneNumberId, accessToken: input.accessToken }, by);
    wakeReaders();
    changed();
  },
);

export const subscribeLineApp = memberAction({ may: "manageLines", input: OneLine }, async ({ member, by }, input) => {
  await subscribeLine(member.workspaceId, input.phoneNumberId, by);
  changed();
});

/** Asks WhatsApp, and keeps what it says; nothing that a person set is changed. */
export const runLineCheck = memberAction({ may: "manageLines", input: OneLine }, async ({ member }, input) => {
  const checks = await checkLine(member.workspaceId, input.phoneNumberId);
  changed();
  return checks;
});

export const removeLine = memberAction({ may: "manageLines", input: OneLine }, async ({ member, by }, input) => {
  await disconnectLine(member.workspaceId, input.phoneNumberId, by);
  changed();
});
