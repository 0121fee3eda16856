import { ConfirmAction } from "@/app/_components/dialog";
import { ActionButtonForm, ActionForm, SubmitButton, Tick } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { DataTable, EmptyState, Section } from "@/app/_components/panels";
import { Chip, type Chips, Muted } from "@/app/_components/text";
import { Ago, Timestamp } from "@/app/_components/timestamp";
import { may, pageMember, requireMember } from "@/lib/auth/page-member";
import { sendsMail } from "@/lib/mail/queue-mail";
import { type InvitationState, invitationState } from "@/lib/workspaces/invitations";
import { listInvitations, listMembers, type MemberRow } from "@/lib/workspaces/queries";
import { memberFault, ROLE_MEANINGS, ROLE_NAMES, resetFault, rolesWithinReach } from "@/lib/workspaces/roles";
import { ActionMenu } from "../../_components/action-menu";
import { Allowed, Page } from "../../_components/page-frame";
import { leave, remove, removeSecondFactor, requireSecondFactor, revoke, setRole } from "./actions";
import { InviteMember, ResetMember, RoleChoice } from "./link-forms";

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
          Joined: ({ joinedAt }) => <Timestamp at={joinedAt} withTime={false} />,
          ...(may("manageMembers")
            ? { "Second factor": ({ hasFactor }: MemberRow) => (hasFactor ? "On" : <Muted>Off</Muted>) }
            : {}),
          Actions: (row) => <Steps row={row} ownerCount={ownerCount} />,
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
      <FactorRequirement />
    </Page>
  );
}

/** What the visitor may do to a member, by the same rules that the server holds to. */
function Steps({ row, ownerCount }: { row: MemberRow; ownerCount: number }) {
  const { userId, role } = pageMember();
  const membership = { acting: { userId, role }, target: row, ownerCount };
  const roles = rolesWithinReach(role).filter((wanted) => !memberFault(membership, wanted));
  const mayReset = !resetFault(membership);
  const isMovable = !memberFault(membership, null);
  if (roles.length < 2 && !mayReset && !isMovable) return <Immovable row={row} />;
  return (
    <ActionMenu label={`Actions for ${row.name}`}>
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
          <RoleChoice roles={roles} chosen={row.role} id={`role-${row.userId}`} />
          <p className="text-muted">
            Takes effect at once. {row.name} is signed out everywhere and must sign in again.
          </p>
        </ConfirmAction>
      ) : null}
      {mayReset ? <ResetMember person={{ userId: row.userId, name: row.name, email: row.email }} /> : null}
      {mayReset && row.hasFactor ? <FactorRemoval row={row} /> : null}
      {isMovable ? <Removal row={row} /> : null}
    </ActionMenu>
  );
}

function FactorRemoval({ row: { userId, name } }: { row: MemberRow }) {
  return (
    <ConfirmAction
      action={removeSecondFactor}
      fields={{ userId }}
      opener="Remove second factor…"
      title={`Remove the second factor of ${name}?`}
      confirm="Remove second factor"
      busy="Removing…"
    >
      <p>
        For a member who has lost their device and recovery codes: make sure that {name} asks you. Their password alone
        then opens the account, and they are signed out everywhere.
      </p>
      <p className="text-muted">
        Only for accounts that belong to no other workspace. For others, ask the operator of this server.
      </p>
    </ConfirmAction>
  );
}

function Immovable({ row }: { row: MemberRow }) {
  const isSelf = row.userId === pageMember().userId;
  if (!isSelf && !may("manageMembers")) return <Muted>–</Muted>;
  return <Chip tone="pending" icon="info" word={isSelf ? "Last owner: cannot leave" : "Only an owner can change"} />;
}

/** Whether all members need a second factor: those without one set it up before they see anything else. */
function FactorRequirement() {
  const { workspace, hasFactor } = pageMember();
  const isRequired = workspace.requiresSecondFactor;
  const isLocked = !may("requireSecondFactor") || !(hasFactor || isRequired);
  return (
    <Section title="Second factor" id="second-factor" className="mt-8">
      <ActionForm action={requireSecondFactor} done="Saved." className="grid max-w-prose gap-4">
        <div>
          <Tick type="checkbox" name="required" defaultChecked={isRequired} disabled={isLocked}>
            Require a second factor of all members
          </Tick>
          <p className="ms-6 text-sm text-muted">
            Members without one are led to its set-up before they can open any workspace.
          </p>
        </div>
        <Allowed to="requireSecondFactor" step="Save">
          {isLocked ? (
            <p>
              <TextLink href="/second-factor?callbackUrl=/dashboard/settings/members">
                Set up your own second factor
              </TextLink>{" "}
              first.
            </p>
          ) : (
            <SubmitButton className="justify-self-start">Save</SubmitButton>
          )}
        </Allowed>
      </ActionForm>
    </Section>
  );
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
