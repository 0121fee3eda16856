"use client";

import { type ComponentProps, type ReactNode, useCallback, useState } from "react";
import type { FormAction } from "@/lib/auth/action";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { ActionForm, Field, type HiddenFields, SubmitButton } from "./form";

type OpenerProps = Omit<ComponentProps<typeof Button>, "children"> & {
  /** What the button says. */
  opener: ReactNode;
  title: string;
  opensAtOnce?: boolean;
  children: (close: () => void) => ReactNode;
};

/** A button and the dialog that it opens. */
export function DialogButton({ opener, title, opensAtOnce = false, children, ...button }: OpenerProps) {
  const [isOpen, setIsOpen] = useState(opensAtOnce);
  const close = useCallback(() => setIsOpen(false), []);
  return (
    <>
      <Button {...button} onClick={() => setIsOpen(true)}>
        {opener}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        {isOpen ? children(close) : null}
      </Dialog>
    </>
  );
}

type Props<Value> = {
  action: FormAction<Value>;
  fields?: HiddenFields;
  /** What opens the dialog, and what it is called. */
  opener: string;
  title: string;
  /** What will happen. */
  children: ReactNode;
  confirm: string;
  busy?: string;
  look?: "secondary" | "danger";
  /** A word that is typed first, into a field of the form. */
  typed?: { name: string; word: string; label: string } | undefined;
};

/** A step that cannot be undone: it says what will happen, and closes only once the server says that it did. */
export function ConfirmAction<Value>({ opener, title, look = "danger", ...step }: Props<Value>) {
  return (
    <DialogButton look={look === "danger" ? "quietDanger" : "secondary"} opener={opener} title={title}>
      {(close) => <Step {...step} look={look === "danger" ? "danger" : "primary"} onClose={close} />}
    </DialogButton>
  );
}

type StepProps<Value> = Omit<Props<Value>, "opener" | "title" | "look"> & {
  look: "danger" | "primary";
  onClose: () => void;
};

function Step<Value>({ action, fields, children, confirm, busy = "Working…", look, typed, onClose }: StepProps<Value>) {
  const [given, setGiven] = useState("");
  return (
    <ActionForm action={action} fields={fields} onDone={onClose}>
      {children}
      {typed ? (
        <Field label={typed.label} name={typed.name} id={`typed-${typed.name}`} value={given} onText={setGiven} />
      ) : null}
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton look={look} busy={busy} disabled={typed && given.trim() !== typed.word}>
          {confirm}
        </SubmitButton>
      </div>
    </ActionForm>
  );
}
