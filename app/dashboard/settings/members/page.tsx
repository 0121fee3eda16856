import { ConfirmAction } from "@/app/_components/dialog";
import { ActionButtonForm, Select } from "@/app/_components/form";
import { optionsOf } from "@/app/_components/options";
import { DataTable, EmptyState, Section } from "@/app/_components/panels";
import { Chip, type Chips, Muted } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { may, pageMember, requireMember } from "@/lib/auth/page-member";
import { sendsMail } from "@/lib/mail/queue-mail";
import { type InvitationState, invitationState } from "@/lib/workspaces/invitations";
import { listInvitations, listMembers, type MemberRow } from "@/lib/workspaces/queries";
import { memberFault, ROLE_MEANINGS, ROLE_NAMES, resetFault, rolesWithinReach } from "@/lib/workspaces/roles";
import { Allowed, Page } from "../../_components/page-frame";
import { leave, remove, revoke, setRole } from "./actions";
import { InviteMember, ResetMember } from "./link-forms";

export const metadata = { title: "Members" };

export default async function MembersPage() {
  const { workspaceId, workspace, userId, role } = await requireMember();
  const members = await listMembers(workspaceId);
  const ownerCount = members.filter((row) => row.role === "owner").length;
  return (
    <Page
      title="Members"
      intro={`People who can open this workspace. ${ROLE_MEANINGS.owner} ${ROLE_MEANINGS.admin} ${ROLE_MEANINGS.member}`}
      actions={
        <Allowed to="manageMembers" step="Invite">
          <InviteMember roles={rolesWithinReach(role).toReversed()} sendsMail={sendsMail()} />
        </Allowed>
      }
    >
      <DataTable
        caption={`Members of ${workspace.name}`}
        rows={members}
        rowKey={(row) => row.userId}
        columns={{
          Name: {
            className: "wrap-anywhere sm:min-w-28",
            cell: (row) => (row.userId === userId ? `${row.name} (you)` : row.name),
          },
          "E-mail": ({ email }) => <span className="max-sm:break-all sm:whitespace-nowrap">{email}</span>,
          Role: (row) => ROLE_NAMES[row.role],
          "Last seen": ({ lastSeenAt }) => <Ago at={lastSeenAt} absent="Never" />,
          Joined: ({ joinedAt }) => <Timestamp at={joinedAt} />,
          Actions: { className: "lg:min-w-72", cell: (row) => <Steps row={row} ownerCount={ownerCount} /> },
        }}
      />
      {members.length === 1 ? (
        <div className="mt-6">
          <EmptyState title="Only you">
            Invite people who should see what was sent. An invitation is a link that works once.
          </EmptyState>
        </div>
      ) : null}
      {may("manageMembers") ? <Invitations /> : null}
    </Page>
  );
}

/** What the visitor may do to a member, by the same rules that the server holds to. */
function Steps({ row, ownerCount }: { row: MemberRow; ownerCount: number }) {
  const { userId, role } = pageMember();
  const membership = { acting: { userId, role }, target: row, ownerCount };
  const roles = rolesWithinReach(role).filter((wanted) => !memberFault(membership, wanted));
  return (
    <div className="flex flex-wrap items-center gap-2">
      {roles.length > 1 ? (
        <ConfirmAction
          action={setRole}
          fields={{ userId: row.userId }}
          opener="Change role…"
          title={`Role of ${row.name}`}
          confirm="Save role"
          busy="Saving…"
          look="secondary"
        >
          <Select
            label="Role"
            name="role"
            id={`role-${row.userId}`}
            defaultValue={row.role}
            options={optionsOf(roles)}
          />
          <p className="text-muted">
            Takes effect at once. {row.name} is signed out everywhere and must sign in again.
          </p>
        </ConfirmAction>
      ) : null}
      {resetFault(membership) ? null : (
        <ResetMember person={{ userId: row.userId, name: row.name, email: row.email }} />
      )}
      {memberFault(membership, null) ? <Immovable row={row} /> : <Removal row={row} />}
    </div>
  );
}

function Immovable({ row }: { row: MemberRow }) {
  const isSelf = row.userId === pageMember().userId;
  if (!isSelf && !may("manageMembers")) return <Muted>–</Muted>;
  return <Chip tone="pending" icon="info" word={isSelf ? "Last owner: cannot leave" : "Only an owner can change"} />;
}

function Removal({ row }: { row: MemberRow }) {
  const { userId, workspace } = pageMember();
  return row.userId === userId ? (
    <ConfirmAction
      action={leave}
      opener="Leave…"
      title={`Leave ${workspace.name}?`}
      confirm="Leave workspace"
      busy="Leaving…"
    >
      <p>You lose access at once. Only an invitation brings you back.</p>
    </ConfirmAction>
  ) : (
    <ConfirmAction
      action={remove}
      fields={{ userId: row.userId }}
      opener="Remove…"
      title={`Remove ${row.name}?`}
      confirm="Remove"
      busy="Removing…"
    >
      <p>
        They are signed out everywhere at once, and invitations that they made stop working. API keys that they created
        stay: rotate those that they have seen.
      </p>
    </ConfirmAction>
  );
}

async function Invitations() {
  const { workspaceId, workspace } = pageMember();
  const now = new Date();
  const invitations = (await listInvitations(workspaceId)).map((row) => ({ ...row, state: invitationState(row, now) }));
  if (invitations.length === 0) return null;
  return (
    <Section title="Invitations" className="mt-8">
      <DataTable
        caption={`Invitations of the last 30 days, times in ${workspace.timeZone}`}
        rows={invitations}
        columns={{
          For: ({ email }) => email ?? "Anyone with the link",
          Role: ({ role }) => ROLE_NAMES[role],
          "Invited by": ({ inviterName }) => inviterName,
          State: ({ state, acceptedByName: name }) => (
            <Chip {...LOOKS[state]} {...(state === "accepted" && name ? { word: `Used by ${name}` } : {})} />
          ),
          Expires: ({ expiresAt }) => <Timestamp at={expiresAt} />,
          Actions: ({ id, state }) =>
            state === "open" ? (
              <ActionButtonForm
                action={revoke}
                fields={{ invitationId: id }}
                word="Revoke"
                busy="Revoking…"
                look="quietDanger"
              />
            ) : (
              <Muted>–</Muted>
            ),
        }}
      />
    </Section>
  );
}

const LOOKS: Chips<InvitationState> = {
  open: { tone: "sent", icon: "clock", word: "Open" },
  accepted: { tone: "good", icon: "check", word: "Used" },
  revoked: { tone: "bad", icon: "cross", word: "Revoked" },
  expired: { tone: "pending", icon: "clock", word: "Expired" },
};
