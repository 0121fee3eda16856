"use client";

import { AccountFields } from "@/app/_components/account-fields";
import { ActionForm } from "@/app/_components/action-form";
import { SubmitButton } from "@/app/_components/submit-button";
import { join, joinAsNewUser } from "./actions";

type Props = { token: string; workspaceName: string };

export function JoinForm({ token, workspaceName }: Props) {
  return (
    <ActionForm action={join} className="mt-5 grid gap-4">
      <input type="hidden" name="token" value={token} />
      <SubmitButton className="w-full" busy="Joining…">
        Join {workspaceName}
      </SubmitButton>
    </ActionForm>
  );
}

export function JoinAsNewUserForm({ token, workspaceName, email }: Props & { email: string | undefined }) {
  return (
    <ActionForm action={joinAsNewUser} className="mt-5 grid gap-4">
      <input type="hidden" name="token" value={token} />
      <AccountFields email={email} />
      <SubmitButton className="mt-1 w-full" busy="Joining…">
        Create account and join {workspaceName}
      </SubmitButton>
    </ActionForm>
  );
}
