"use client";

import { ActionForm } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import { SubmitButton } from "@/app/_components/submit-button";
import { changeMonthlyLimit } from "./actions";

type Props = { workspaceId: string; messageLimit: number | null; planLimit: string };

export function LimitForm({ workspaceId, messageLimit, planLimit }: Props) {
  return (
    <ActionForm action={changeMonthlyLimit} workspaceId={workspaceId} done="Saved. Applies from the next message.">
      <Field
        key={messageLimit}
        label="Monthly limit of this workspace"
        name="messageLimit"
        inputMode="numeric"
        defaultValue={messageLimit ?? ""}
        placeholder={planLimit}
        hint="Messages a calendar month (UTC). Empty: the plan’s own limit."
      />
      <div>
        <SubmitButton>Save limit</SubmitButton>
      </div>
    </ActionForm>
  );
}
