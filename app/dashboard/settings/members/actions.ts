"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { z } from "zod";
import { Email } from "@/lib/auth/account-fields";
import { memberAction } from "@/lib/auth/action";
import { makeResetLink } from "@/lib/auth/make-reset-link";
import { resetAddress } from "@/lib/auth/reset-link";
import { env } from "@/lib/core/env";
import { changeRole } from "@/lib/workspaces/change-role";
import { EXPIRY_DAYS } from "@/lib/workspaces/invitation";
import { inviteMember } from "@/lib/workspaces/invite-member";
import { removeMember } from "@/lib/workspaces/remove-member";
import { revokeInvitation } from "@/lib/workspaces/revoke-invitation";

const PATH = "/dashboard/settings/members";

const Role = z.enum(["owner", "admin", "member"]);
const Id = z.string().regex(/^[a-z]+_\w{1,40}$/, "This is not an id.");

// The link travels once, in the answer. The list behind it is read again when its dialog is closed.
export const invite = memberAction(
  {
    may: "manageMembers",
    input: z.object({
      role: Role,
      email: z.union([z.literal("").transform(() => null), Email]),
      days: z.enum(EXPIRY_DAYS).transform(Number),
    }),
  },
  async ({ member, by }, input) => {
    const { token, expiresAt } = await inviteMember(member.workspaceId, input, by);
    return { link: `${env().APP_URL}/invite/${token}`, role: input.role, email: input.email, expiresAt };
  },
);

export const revoke = memberAction(
  { may: "manageMembers", input: z.object({ invitationId: Id }) },
  async ({ member, by }, { invitationId }) => {
    await revokeInvitation(member.workspaceId, invitationId, by);
    revalidatePath(PATH);
  },
);

// As with an invitation, the link travels once, in the answer.
export const createResetLink = memberAction(
  { may: "resetPasswords", input: z.object({ userId: Id }) },
  async ({ member, by }, { userId }) => {
    const { token } = await makeResetLink(member.workspaceId, userId, by);
    return resetAddress(env().APP_URL, token);
  },
);

export const setRole = memberAction(
  { may: "manageMembers", input: z.object({ userId: Id, role: Role }) },
  async ({ member, by }, input) => {
    await changeRole(member.workspaceId, { ...input, actingSessionId: member.sessionId }, by);
    revalidatePath("/dashboard", "layout");
  },
);

export const remove = memberAction(
  { may: "manageMembers", input: z.object({ userId: Id }) },
  async ({ member, by }, { userId }) => {
    await removeMember(member.workspaceId, { userId, actingSessionId: member.sessionId }, by);
    revalidatePath(PATH);
  },
);

export const leave = memberAction({ may: "seeWorkspace", input: z.object({}) }, async ({ member, by }) => {
  await removeMember(member.workspaceId, { userId: member.userId, actingSessionId: member.sessionId }, by);
  redirect("/dashboard");
});
