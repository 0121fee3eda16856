"use server";

import { redirect } from "next/navigation";
import { z } from "zod";
import { Email } from "@/lib/auth/account-fields";
import { memberAction, step } from "@/lib/auth/action";
import { countedMail } from "@/lib/auth/attempts";
import { removeFactor } from "@/lib/auth/change-second-factor";
import { makeResetLink, resetAddress } from "@/lib/auth/reset-password";
import { forbidden } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { sendsMail } from "@/lib/mail/queue-mail";
import { changeRole, removeMember } from "@/lib/workspaces/change-member";
import { changeWorkspace } from "@/lib/workspaces/change-workspace";
import { EXPIRY_DAYS, inviteMember, revokeInvitation } from "@/lib/workspaces/invitations";

const PATH = "/dashboard/settings/members";
const may = "manageMembers";

const Role = z.enum(["owner", "admin", "member"]);
const Id = z.string().regex(/^[a-z]+_\w{1,40}$/, "This is not an id.");

// The link travels once: in the answer, or in a mail. The list behind it is read again when its dialog is closed.
export const invite = memberAction(
  {
    may,
    input: z.object({
      role: Role,
      email: z.union([z.literal("").transform(() => null), Email]),
      days: z.enum(EXPIRY_DAYS).transform(Number),
    }),
  },
  async ({ member, by }, input) => {
    const { email, role } = input;
    const make = () => inviteMember(member.workspaceId, input, by);
    const { token, isMailed } = await (email && sendsMail()
      ? countedMail("invitation", member.workspaceId, make)
      : make());
    return { link: isMailed ? null : `${env().APP_URL}/invite/${token}`, role, email };
  },
);

export const revoke = memberAction(
  { may, input: z.object({ invitationId: Id }).transform(({ invitationId }) => invitationId), refreshes: PATH },
  step(revokeInvitation),
);

// As with an invitation, the link travels once: in the answer, or in a mail.
export const createResetLink = memberAction(
  { may: "resetPasswords", input: z.object({ userId: Id }) },
  async ({ member, by }, { userId }) => {
    const make = () => makeResetLink(member.workspaceId, userId, by);
    const cause = `${member.workspaceId}/${userId}`;
    const { token, email, isMailed } = await (sendsMail() ? countedMail("passwordReset", cause, make) : make());
    return { link: isMailed ? null : resetAddress(env().APP_URL, token), email };
  },
);

export const removeSecondFactor = memberAction(
  { may: "resetPasswords", input: z.object({ userId: Id }), refreshes: PATH },
  ({ member, by }, { userId }) => removeFactor(member.workspaceId, userId, by),
);

export const requireSecondFactor = memberAction(
  { may: "requireSecondFactor", input: z.object({ required: z.literal("on").optional() }), refreshes: PATH },
  async ({ member, by }, { required }) => {
    if (required && !member.hasFactor) throw forbidden("Set up a second factor for your own account first.");
    await changeWorkspace(member.workspaceId, { requiresSecondFactor: required !== undefined }, by);
  },
);

export const setRole = memberAction(
  { may, input: z.object({ userId: Id, role: Role }), refreshes: "/dashboard" },
  async ({ member, by }, input) => {
    await changeRole(member.workspaceId, { ...input, actingSessionId: member.sessionId }, by);
  },
);

export const remove = memberAction(
  { may, input: z.object({ userId: Id }), refreshes: PATH },
  async ({ member, by }, { userId }) => {
    await removeMember(member.workspaceId, { userId, actingSessionId: member.sessionId }, by);
  },
);

export const leave = memberAction({ may: "seeWorkspace", input: z.object({}) }, async ({ member, by }) => {
  await removeMember(member.workspaceId, { userId: member.userId, actingSessionId: member.sessionId }, by);
  redirect("/dashboard");
});
