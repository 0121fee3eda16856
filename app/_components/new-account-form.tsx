"use client";

import type { FormAction } from "@/lib/auth/action-state";
import { AccountFields } from "./account-fields";
import { ActionForm } from "./action-form";
import { Field } from "./field";
import { SubmitButton } from "./submit-button";

/** An account with a workspace of its own. */
export function NewAccountForm({ action, submit }: { action: FormAction<never>; submit: string }) {
  return (
    <ActionForm action={action} className="mt-5 grid gap-4">
      <Field
        label="Workspace"
        name="workspaceName"
        required
        maxLength={200}
        autoComplete="organization"
        hint="Your shop or company. It can be renamed later."
      />
      <AccountFields />
      <SubmitButton className="mt-1 w-full" busy="Creating…">
        {submit}
      </SubmitButton>
    </ActionForm>
  );
}
