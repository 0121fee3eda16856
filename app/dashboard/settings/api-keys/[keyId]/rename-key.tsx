"use client";

import { ActionForm } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import { SubmitButton } from "@/app/_components/submit-button";
import { renameApiKey } from "../actions";

type Props = { workspaceId: string; apiKey: { apiKey: string; label: string } };

export function RenameKey({ workspaceId, apiKey: { apiKey, label } }: Props) {
  return (
    <ActionForm action={renameApiKey} workspaceId={workspaceId} done="Saved." className="grid gap-3">
      <input type="hidden" name="apiKey" value={apiKey} />
      <div className="flex flex-wrap items-end gap-3">
        <div className="grow basis-48">
          <Field key={label} label="Label" name="label" defaultValue={label} required maxLength={100} />
        </div>
        <SubmitButton look="secondary">Save label</SubmitButton>
      </div>
    </ActionForm>
  );
}
