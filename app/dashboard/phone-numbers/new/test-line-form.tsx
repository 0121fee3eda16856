"use client";

import { useRouter } from "next/navigation";
import { ActionForm } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import { useAddressInMode } from "@/app/_components/link-mode";
import { SubmitButton } from "@/app/_components/submit-button";
import { addSandboxLine } from "../actions";

export function TestLineForm({ workspaceId }: { workspaceId: string }) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  return (
    <ActionForm
      action={addSandboxLine}
      workspaceId={workspaceId}
      onDone={({ id }) => router.push(addressOf(`/dashboard/phone-numbers/${id}`))}
      done="Added."
    >
      <div className="max-w-sm">
        <Field id="test-label" name="label" label="Name" defaultValue="Test line" maxLength={100} />
      </div>
      <div>
        <SubmitButton look="secondary" busy="Adding…">
          Add test line
        </SubmitButton>
      </div>
    </ActionForm>
  );
}
