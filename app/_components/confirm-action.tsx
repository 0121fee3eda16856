"use client";

import { type ReactNode, useCallback, useState } from "react";
import type { FormAction } from "@/lib/auth/action-state";
import { ActionForm } from "./action-form";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Field } from "./field";
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
  /** A word that is typed first, into a field of the form. */
  typed?: { name: string; word: string; label: string } | undefined;
};

/** A step that cannot be undone: it says what will happen, and closes only once the server says that it did. */
export function ConfirmAction<Value>(props: Props<Value>) {
  const { action, workspaceId, opener, title, children, confirm, busy = "Working…", look = "danger", typed } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [given, setGiven] = useState("");
  const close = useCallback(() => {
    setIsOpen(false);
    setGiven("");
  }, []);
  return (
    <>
      <Button look={look === "danger" ? "quietDanger" : "secondary"} onClick={() => setIsOpen(true)}>
        {opener}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <ActionForm action={action} workspaceId={workspaceId} onDone={close}>
          {children}
          {typed ? (
            <Field
              label={typed.label}
              name={typed.name}
              id={`typed-${typed.name}`}
              value={given}
              onChange={(event) => setGiven(event.target.value)}
              autoComplete="off"
              data-first-focus
            />
          ) : null}
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="secondary" onClick={close}>
              Cancel
            </Button>
            <SubmitButton
              look={look === "danger" ? "danger" : "primary"}
              busy={busy}
              disabled={typed && given.trim() !== typed.word}
            >
              {confirm}
            </SubmitButton>
          </div>
        </ActionForm>
      </Dialog>
    </>
  );
}
