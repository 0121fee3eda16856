"use client";

import { ActionForm } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import { SubmitButton } from "@/app/_components/submit-button";
import { createOwnWorkspace } from "./actions";

export function CreateWorkspaceForm() {
  return (
    <ActionForm action={createOwnWorkspace} className="mt-5 grid gap-4">
      <Field
        label="Name"
        name="name"
        required
        maxLength={200}
        autoComplete="organization"
        hint="It can be changed later."
      />
      <SubmitButton className="w-full" busy="Creating…">
        Create workspace
      </SubmitButton>
    </ActionForm>
  );
}
