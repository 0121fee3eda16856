import { Chip, type Tone } from "@/app/_components/chip";
import { DataTable } from "@/app/_components/data-table";
import type { IconName } from "@/app/_components/icon";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import { type InvitationState, invitationState } from "@/lib/workspaces/invitation";
import { type InvitationRow, listInvitations } from "@/lib/workspaces/queries";
import { ROLE_NAMES } from "@/lib/workspaces/roles";
import { RevokeInvitation } from "./member-actions";

export async function Invitations({ member: { workspaceId, workspace } }: { member: Member }) {
  const invitations = await listInvitations(workspaceId);
  const now = new Date();
  if (invitations.length === 0) return null;
  return (
    <section className="mt-8 grid gap-3">
      <h2 className="text-lg font-semibold">Invitations</h2>
      <DataTable
        caption={`Invitations of the last 30 days, times in ${workspace.timeZone}`}
        rows={invitations}
        rowKey={({ id }) => id}
        columns={[
          { heading: "For", cell: ({ email }) => email ?? "Anyone with the link" },
          { heading: "Role", cell: ({ role }) => ROLE_NAMES[role] },
          { heading: "Invited by", cell: ({ inviterName }) => inviterName },
          { heading: "State", cell: (row) => <StateChip row={row} state={invitationState(row, now)} /> },
          {
            heading: "Expires",
            cell: ({ expiresAt }) => <Timestamp at={expiresAt} timeZone={workspace.timeZone} />,
          },
          {
            heading: "Actions",
            cell: (row) =>
              invitationState(row, now) === "open" ? (
                <RevokeInvitation workspaceId={workspaceId} invitationId={row.id} />
              ) : (
                <span className="text-muted">–</span>
              ),
          },
        ]}
      />
    </section>
  );
}

function StateChip({ row, state }: { row: InvitationRow; state: InvitationState }) {
  const { word, ...look } = LOOKS[state];
  return <Chip {...look} word={state === "accepted" && row.acceptedByName ? `Used by ${row.acceptedByName}` : word} />;
}

const LOOKS: Record<InvitationState, { tone: Tone; icon: IconName; word: string }> = {
  open: { tone: "sent", icon: "clock", word: "Open" },
  accepted: { tone: "good", icon: "check", word: "Used" },
  revoked: { tone: "bad", icon: "cross", word: "Revoked" },
  expired: { tone: "pending", icon: "clock", word: "Expired" },
};
