"use client";

import { useState } from "react";
import { ActionForm } from "@/app/_components/action-form";
import { FormProgress } from "@/app/_components/form-progress";
import { SubmitButton } from "@/app/_components/submit-button";
import { Unavailable } from "@/app/_components/unavailable";
import type { FormAction } from "@/lib/auth/action-state";
import type { Check } from "@/lib/phone-numbers/check";
import { CheckList } from "./check-list";

type Props = {
  action: FormAction<Check[]>;
  workspaceId: string;
  fields?: Record<string, string>;
  word?: string;
  /** Whose it is to ask, where it is not the reader's. */
  lack?: string | undefined;
};

/** Asks, and lists what was found below the button. */
export function RunCheck({ action, workspaceId, fields = {}, word = "Run check", lack }: Props) {
  const [checks, setChecks] = useState<Check[]>([]);
  if (lack) return <Unavailable step={word} look="secondary" whose={lack} />;
  return (
    <>
      <ActionForm
        action={action}
        workspaceId={workspaceId}
        onDone={setChecks}
        className="grid justify-items-start gap-2"
      >
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <SubmitButton look="secondary" busy="Checking…">
          {word}
        </SubmitButton>
        <FormProgress text="Asking WhatsApp…" />
      </ActionForm>
      <div role="status">{checks.length > 0 ? <CheckList checks={checks} /> : null}</div>
    </>
  );
}
