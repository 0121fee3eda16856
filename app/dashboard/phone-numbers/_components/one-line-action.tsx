"use client";

import { ActionForm } from "@/app/_components/action-form";
import type { Button } from "@/app/_components/button";
import { SubmitButton } from "@/app/_components/submit-button";
import type { FormAction } from "@/lib/auth/action-state";

type Props<Value> = {
  action: FormAction<Value>;
  workspaceId: string;
  phoneNumberId: string;
  word: string;
  busy?: string;
  look?: Parameters<typeof Button>[0]["look"];
};

/** A button that does one thing to one line, and says where it could not. */
export function OneLineAction<Value>({
  action,
  workspaceId,
  phoneNumberId,
  word,
  busy = "Working…",
  look = "secondary",
}: Props<Value>) {
  return (
    <ActionForm action={action} workspaceId={workspaceId} className="[&>[role]:not(:empty)]:mt-2">
      <input type="hidden" name="phoneNumberId" value={phoneNumberId} />
      <SubmitButton look={look} busy={busy}>
        {word}
      </SubmitButton>
    </ActionForm>
  );
}
