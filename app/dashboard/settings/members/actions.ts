"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { env } from "@/lib/env";
import { Email } from "@/lib/users/account-fields";
import { changeRole } from "@/lib/workspaces/change-role";
import { EXPIRY_DAYS } from "@/lib/workspaces/invitation";
import { inviteMember } from "@/lib/workspaces/invite-member";
import { removeMember } from "@/lib/workspaces/remove-member";
import { revokeInvitation } from "@/lib/workspaces/revoke-invitation";

const PATH = "/dashboard/settings/members";

const Role = z.enum(["owner", "admin", "member"]);
const Id = z.string().max(100);

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

export const setRole = memberAction(
  { may: "manageMembers", input: z.object({ userId: Id, role: Role }) },
  async ({ member, by }, input) => {
    await changeRole(member.workspaceId, input, by);
    revalidatePath("/dashboard", "layout");
  },
);

export const remove = memberAction(
  { may: "manageMembers", input: z.object({ userId: Id }) },
  async ({ member, by }, { userId }) => {
    await removeMember(member.workspaceId, userId, by);
    revalidatePath(PATH);
  },
);

export const leave = memberAction({ may: "seeWorkspace", input: z.object({}) }, async ({ member, by }) => {
  await removeMember(member.workspaceId, member.userId, by);
  redirect("/dashboard");
});
