"use client";

import { useRouter, useSearchParams } from "next/navigation";
import { type ComponentProps, type FormEvent, type ReactNode, useState } from "react";
import { Button } from "@/app/_components/button";
import { DialogButton } from "@/app/_components/dialog";
import { FieldIssues, Hidden, type HiddenFields } from "@/app/_components/form";
import { Notice } from "@/app/_components/panels";
import type { ActionState, FormAction } from "@/lib/auth/action";

type Props<Value> = {
  action: FormAction<Value>;
  fields?: HiddenFields;
  onDone?: (value: Value) => void;
  confirm: string;
  busy: string;
  children?: ReactNode;
};

type DialogFormProps<Value> = Props<Value> &
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

type KeptProps<Value> = Props<Value> & { onDone: (value: Value) => void; onCancel?: () => void };

/**
 * After a refusal it keeps what was typed. Its answer may be a secret: it is handed on and never kept as the form's state,
 * which would travel back.
 */
export function KeptForm<Value>({ action, fields, onDone, onCancel, confirm, busy, children }: KeptProps<Value>) {
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
