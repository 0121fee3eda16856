import type { Metadata } from "next";
import { Ago } from "@/app/_components/ago";
import { Button } from "@/app/_components/button";
import { Chip } from "@/app/_components/chip";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeading } from "@/app/_components/page-heading";
import { Timestamp } from "@/app/_components/timestamp";
import type { Member } from "@/lib/auth/member";
import { requireMember } from "@/lib/auth/page-member";
import { memberFault, resetFault, rolesWithinReach } from "@/lib/workspaces/member-rules";
import { listMembers, type MemberRow } from "@/lib/workspaces/queries";
import { can, ROLE_MEANINGS, ROLE_NAMES, whoCan } from "@/lib/workspaces/roles";
import { Invitations } from "./invitations";
import { InviteMember } from "./invite-member";
import { ChangeRole, LeaveWorkspace, RemoveMember } from "./member-actions";
import { ResetMember } from "./reset-member";

export const metadata: Metadata = { title: "Members" };

export default async function MembersPage() {
  const member = await requireMember();
  const { workspaceId, workspace, role } = member;
  const members = await listMembers(workspaceId);
  const ownerCount = members.filter((row) => row.role === "owner").length;
  const mayManage = can(role, "manageMembers");
  return (
    <>
      <PageHeading
        title="Members"
        actions={
          mayManage ? (
            <InviteMember
              workspaceId={workspaceId}
              roles={rolesWithinReach(role)
                .toReversed()
                .map((choice) => ({ role: choice, name: ROLE_NAMES[choice], meaning: ROLE_MEANINGS[choice] }))}
            />
          ) : (
            <div className="grid justify-items-end gap-1">
              <Button disabled aria-describedby="who-can-invite">
                Invite
              </Button>
              <p id="who-can-invite" className="text-sm text-muted">
                {whoCan("manageMembers")}
              </p>
            </div>
          )
        }
      >
        People who can open this workspace. {ROLE_MEANINGS.owner} {ROLE_MEANINGS.admin} {ROLE_MEANINGS.member}
      </PageHeading>
      <DataTable
        caption={`Members of ${workspace.name}`}
        rows={members}
        rowKey={({ userId }) => userId}
        columns={[
          {
            heading: "Name",
            className: "wrap-anywhere sm:min-w-28",
            cell: (row) => (row.userId === member.userId ? `${row.name} (you)` : row.name),
          },
          {
            heading: "E-mail",
            cell: ({ email }) => <span className="max-sm:break-all sm:whitespace-nowrap">{email}</span>,
          },
          { heading: "Role", cell: ({ role: theirs }) => ROLE_NAMES[theirs] },
          {
            heading: "Last seen",
            cell: ({ lastSeenAt }) =>
              lastSeenAt ? <Ago at={lastSeenAt} /> : <span className="text-muted">Never</span>,
          },
          { heading: "Joined", cell: ({ joinedAt }) => <Timestamp at={joinedAt} timeZone={workspace.timeZone} /> },
          {
            heading: "Actions",
            className: "lg:min-w-72",
            cell: (row) => <Steps member={member} row={row} ownerCount={ownerCount} />,
          },
        ]}
      />
      {members.length === 1 ? (
        <div className="mt-6">
          <EmptyState title="Only you">
            Invite people who should see what was sent. An invitation is a link that works once; you send it yourself.
          </EmptyState>
        </div>
      ) : null}
      {mayManage ? <Invitations member={member} /> : null}
    </>
  );
}

/** What the visitor may do to a member, by the same rules that the server holds to. */
function Steps({ member, row, ownerCount }: { member: Member; row: MemberRow; ownerCount: number }) {
  const { workspaceId, workspace, userId, role } = member;
  const membership = { acting: { userId, role }, target: row, ownerCount };
  const roles = rolesWithinReach(role).filter((wanted) => !memberFault(membership, wanted));
  const isSelf = row.userId === userId;
  const reason = memberFault(membership, null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {roles.length > 1 ? <ChangeRole workspaceId={workspaceId} person={row} roles={roles} /> : null}
      {resetFault(membership) ? null : (
        <ResetMember workspaceId={workspaceId} person={{ userId: row.userId, name: row.name, email: row.email }} />
      )}
      {reason ? (
        isSelf || can(role, "manageMembers") ? (
          <Chip tone="pending" icon="info" word={isSelf ? "Last owner: cannot leave" : "Only an owner can change"} />
        ) : (
          <span className="text-muted">–</span>
        )
      ) : isSelf ? (
        <LeaveWorkspace workspaceId={workspaceId} workspaceName={workspace.name} />
      ) : (
        <RemoveMember workspaceId={workspaceId} person={row} />
      )}
    </div>
  );
}
