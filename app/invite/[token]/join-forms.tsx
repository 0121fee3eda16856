"use client";

import { AccountFields } from "@/app/_components/account-fields";
import { ActionForm } from "@/app/_components/action-form";
import { SubmitButton } from "@/app/_components/submit-button";
import { join, joinAsNewUser } from "./actions";

export function JoinForm({ token, workspaceName }: { token: string; workspaceName: string }) {
  return (
    <ActionForm action={join} className="mt-5 grid gap-4">
      <input type="hidden" name="token" value={token} />
      <SubmitButton className="w-full" busy="Joining…">
        Join {workspaceName}
      </SubmitButton>
    </ActionForm>
  );
}

export function JoinAsNewUserForm({ token, email }: { token: string; email: string | undefined }) {
  return (
    <ActionForm action={joinAsNewUser} className="mt-5 grid gap-4">
      <input type="hidden" name="token" value={token} />
      <AccountFields email={email} />
      <SubmitButton className="mt-1 w-full" busy="Joining…">
        Create account and join
      </SubmitButton>
    </ActionForm>
  );
}
