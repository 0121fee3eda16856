"use client";

import type { ReactNode } from "react";
import type { FormAction } from "@/lib/auth/action-state";
import { AccountFields } from "./account-fields";
import { ActionForm } from "./action-form";
import { Field } from "./field";
import { SubmitButton } from "./submit-button";

type Props = { action: FormAction<never>; submit: string; first?: ReactNode };

/** An account with a workspace of its own; `first` are fields above it. */
export function NewAccountForm({ action, submit, first }: Props) {
  return (
    <ActionForm action={action} className="mt-5 grid gap-4">
      {first}
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
