"use client";

import { type ReactNode, useCallback, useState } from "react";
import type { FormAction } from "@/lib/auth/action-state";
import { ActionForm } from "./action-form";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { SubmitButton } from "./submit-button";

type Props<Value> = {
  action: FormAction<Value>;
  workspaceId: string;
  /** What opens the dialog, and what it is called. */
  opener: string;
  title: string;
  /** What will happen, and the form's hidden fields. */
  children: ReactNode;
  confirm: string;
  busy?: string;
  look?: "secondary" | "danger";
  /** Whether what must be typed or ticked first has been. */
  isReady?: boolean;
};

/** A step that cannot be taken back: it says what will happen, and closes only once the server says that it did. */
export function ConfirmAction<Value>(props: Props<Value>) {
  const {
    action,
    workspaceId,
    opener,
    title,
    children,
    confirm,
    busy = "Working…",
    look = "danger",
    isReady = true,
  } = props;
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback(() => setIsOpen(false), []);
  return (
    <>
      <Button look={look === "danger" ? "quietDanger" : "secondary"} onClick={() => setIsOpen(true)}>
        {opener}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <ActionForm action={action} workspaceId={workspaceId} onDone={close}>
          {children}
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="secondary" onClick={close}>
              Cancel
            </Button>
            <SubmitButton look={look === "danger" ? "danger" : "primary"} busy={busy} disabled={!isReady}>
              {confirm}
            </SubmitButton>
          </div>
        </ActionForm>
      </Dialog>
    </>
  );
}
