"use client";

import { type FormEvent, type ReactNode, useState } from "react";
import { FieldIssues } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import type { ActionState, FormAction } from "@/lib/auth/action-state";

type Props<Value> = {
  action: FormAction<Value>;
  workspaceId: string;
  onDone: (value: Value) => void;
  onCancel: () => void;
  confirm: string;
  busy: string;
  children: ReactNode;
};

/**
 * A form in a dialog. After a refusal it keeps what was typed. Its answer may be a secret: it is handed on and never kept
 * as the form's state, which would travel back.
 */
export function DialogForm<Value>({ action, workspaceId, onDone, onCancel, confirm, busy, children }: Props<Value>) {
  const [refusal, setRefusal] = useState<Extract<ActionState, { ok: false }> | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    try {
      const state = await action(null, new FormData(event.currentTarget));
      if (state.ok) return onDone(state.value);
      setRefusal(state);
    } catch {
      setRefusal({
        ok: false,
        message: "The server did not answer. Reload the page to see what happened.",
        issues: {},
      });
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <form method="post" onSubmit={submit} className="grid gap-4">
      <input type="hidden" name="workspaceId" value={workspaceId} />
      <FieldIssues issues={refusal?.issues ?? {}}>{children}</FieldIssues>
      <div role="alert">{refusal ? <Notice tone="bad">{refusal.message}</Notice> : null}</div>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" aria-disabled={isBusy}>
          {isBusy ? busy : confirm}
        </Button>
      </div>
    </form>
  );
}
