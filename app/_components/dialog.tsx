"use client";

import { useRouter, useSearchParams } from "next/navigation";
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
  useTransition,
} from "react";
import type { ActionState, FormAction } from "@/lib/auth/action";
import { Button } from "./button";
import { ActionForm, Field, FieldIssues, Hidden, type HiddenFields, SubmitButton } from "./form";
import { Icon } from "./icon";
import { orUnanswered } from "./or-unanswered";
import { Notice } from "./panels";

type Props = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Neither Esc nor the backdrop close it: only a button of its own does. */
  isGuarded?: boolean;
  children: ReactNode;
};

/** The browser's own modal dialog: it holds the focus, and gives it back to what opened it. */
export function Dialog({ title, isOpen, onClose, isGuarded = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (isOpen && !element.open) {
      element.showModal();
      // The browser would choose Close, which a typed space presses. Where nothing is typed, no key may press anything.
      (element.querySelector<HTMLElement>(TYPED_INTO) ?? element).focus();
    }
    if (!isOpen && element.open) element.close();
  }, [isOpen]);
  const dismiss = () => (isGuarded ? undefined : onClose());
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the keyboard's way, and arrives as `cancel`
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault();
        dismiss();
      }}
      onClose={onClose}
      onClick={(event) => (event.target === dialog.current ? dismiss() : undefined)}
      className="m-auto w-[min(36rem,calc(100vw-2rem))] rounded-card border border-hairline bg-page p-0 text-ink outline-none backdrop:bg-backdrop"
    >
      {isOpen ? (
        <div className="p-5 sm:p-6">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 id={heading} className="text-lg font-semibold">
              {title}
            </h2>
            {isGuarded ? null : <CloseButton onClose={onClose} />}
          </div>
          {children}
        </div>
      ) : null}
    </dialog>
  );
}

const TYPED_INTO = "input:not([type=hidden], [type=radio], [type=checkbox]), textarea";

type CloseButtonProps = {
  onClose: () => void;
  title?: string;
};

/** The cross in the corner of a dialog or panel. */
export function CloseButton({ onClose, title = "Close" }: CloseButtonProps) {
  return (
    <button
      type="button"
      onClick={onClose}
      aria-label="Close"
      title={title}
      className="-my-1 -me-2 inline-flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:text-ink pointer-coarse:-my-2.5 pointer-coarse:size-11"
    >
      <Icon name="cross" />
    </button>
  );
}

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
  const close = () => setIsOpen(false);
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

type ConfirmProps<Value> = {
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
  /** A word that must be typed to confirm, in a field of the form. */
  typed?: { name: string; word: string; label: string } | undefined;
};

/** A step that cannot be undone: it says what will happen, and closes only once the server says that it did. */
export function ConfirmAction<Value>({ opener, title, look = "danger", ...step }: ConfirmProps<Value>) {
  return (
    <DialogButton look={look === "danger" ? "quietDanger" : "secondary"} opener={opener} title={title}>
      {(close) => <Step {...step} look={look === "danger" ? "danger" : "primary"} onClose={close} />}
    </DialogButton>
  );
}

type StepProps<Value> = Omit<ConfirmProps<Value>, "opener" | "title" | "look"> & {
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

type FormProps<Value> = {
  action: FormAction<Value>;
  fields?: HiddenFields;
  onDone?: (value: Value) => void;
  confirm: string;
  busy: string;
  children?: ReactNode;
};

type DialogFormProps<Value> = FormProps<Value> &
  Omit<ComponentProps<typeof DialogButton>, "children" | "opensAtOnce"> & {
    /** An address that asks for a new one, with `create`, opens it. */
    opensToCreate?: boolean;
    /** The answer, where it is shown once: `close` forgets it and reads the page again, which must not happen before. */
    shownOnce?: (value: Value, close: () => void) => ReactNode;
  };

/** A button that opens a form in a dialog, which closes once it is done. */
export function DialogForm<Value>({
  action,
  fields,
  onDone,
  shownOnce,
  confirm,
  busy,
  children,
  opensToCreate = false,
  ...opener
}: DialogFormProps<Value>) {
  const router = useRouter();
  const isAsked = useSearchParams().has("create") && opensToCreate;
  const [answer, setAnswer] = useState<{ value: Value } | null>(null);
  const forget = () => {
    setAnswer(null);
    router.refresh();
  };
  return (
    <>
      {/* The key opens it also where the page is shown already. */}
      <DialogButton {...opener} key={`${isAsked}`} opensAtOnce={isAsked}>
        {(close) => (
          <KeptForm
            action={action}
            fields={fields}
            confirm={confirm}
            busy={busy}
            onCancel={close}
            onDone={(value) => {
              close();
              if (shownOnce) setAnswer({ value });
              onDone?.(value);
            }}
          >
            {children}
          </KeptForm>
        )}
      </DialogButton>
      {answer && shownOnce?.(answer.value, forget)}
    </>
  );
}

type KeptProps<Value> = FormProps<Value> & { onDone: (value: Value) => void; onCancel?: () => void };

/**
 * After a refusal it keeps what was typed. Its answer may be a secret: it is handed on and never kept as the form's state,
 * which would travel back.
 */
export function KeptForm<Value>({ action, fields, onDone, onCancel, confirm, busy, children }: KeptProps<Value>) {
  const [refusal, setRefusal] = useState<Extract<ActionState, { ok: false }> | null>(null);
  const [isBusy, startSubmit] = useTransition();

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const given = new FormData(event.currentTarget);
    startSubmit(async () => {
      const state = await orUnanswered(action(null, given));
      if (state.ok) return onDone(state.value);
      setRefusal(state);
    });
  };

  return (
    <form method="post" onSubmit={submit} className="grid gap-4">
      <Hidden fields={fields} />
      <FieldIssues issues={refusal?.issues ?? {}}>{children}</FieldIssues>
      <div role="alert">{refusal ? <Notice tone="bad">{refusal.message}</Notice> : null}</div>
      <div className={`flex flex-wrap gap-3 ${onCancel ? "justify-end" : ""}`}>
        {onCancel ? (
          <Button look="secondary" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
        <Button type="submit" aria-disabled={isBusy}>
          {isBusy ? busy : confirm}
        </Button>
      </div>
    </form>
  );
}
