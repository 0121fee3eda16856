"use client";

import { ActionForm } from "@/app/_components/action-form";
import { ConfirmAction } from "@/app/_components/confirm-action";
import { Select } from "@/app/_components/field";
import { SubmitButton } from "@/app/_components/submit-button";
import type { Role } from "@/db/schema/identity";
import { leave, remove, revoke, setRole } from "./actions";

type Person = { userId: string; name: string; role: Role };

/** In one dialog, so that a role is never changed by a wheel that turns over a list. */
export function ChangeRole({ workspaceId, person, roles }: { workspaceId: string; person: Person; roles: Role[] }) {
  return (
    <ConfirmAction
      action={setRole}
      workspaceId={workspaceId}
      opener="Change role…"
      title={`Role of ${person.name}`}
      confirm="Save role"
      busy="Saving…"
      look="secondary"
    >
      <input type="hidden" name="userId" value={person.userId} />
      <Select label="Role" name="role" id={`role-${person.userId}`} defaultValue={person.role} data-first-focus>
        {roles.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </Select>
      <p className="text-muted">Takes effect at once. {person.name} is signed out everywhere and must sign in again.</p>
    </ConfirmAction>
  );
}

export function RemoveMember({ workspaceId, person: { userId, name } }: { workspaceId: string; person: Person }) {
  return (
    <ConfirmAction
      action={remove}
      workspaceId={workspaceId}
      opener="Remove…"
      title={`Remove ${name}?`}
      confirm="Remove"
      busy="Removing…"
    >
      <input type="hidden" name="userId" value={userId} />
      <p>
        They are signed out everywhere at once, and invitations that they made stop working. API keys that they created
        stay: rotate those that they have seen.
      </p>
    </ConfirmAction>
  );
}

export function LeaveWorkspace({ workspaceId, workspaceName }: { workspaceId: string; workspaceName: string }) {
  return (
    <ConfirmAction
      action={leave}
      workspaceId={workspaceId}
      opener="Leave…"
      title={`Leave ${workspaceName}?`}
      confirm="Leave workspace"
      busy="Leaving…"
    >
      <p>You lose access at once. Only an invitation brings you back.</p>
    </ConfirmAction>
  );
}

export function RevokeInvitation({ workspaceId, invitationId }: { workspaceId: string; invitationId: string }) {
  return (
    <ActionForm action={revoke} workspaceId={workspaceId} className="grid justify-items-start gap-1">
      <input type="hidden" name="invitationId" value={invitationId} />
      <SubmitButton look="quietDanger" busy="Revoking…">
        Revoke
      </SubmitButton>
    </ActionForm>
  );
}
