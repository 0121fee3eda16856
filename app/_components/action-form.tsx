"use client";

import { createContext, type ReactNode, useActionState, useContext, useEffect, useRef } from "react";
import type { ActionState, FormAction } from "@/lib/auth/action-state";
import { Icon } from "./icon";

type Props<Value> = {
  action: FormAction<Value>;
  /** Of a member's action the workspace of the page: it is about that one, whichever is chosen elsewhere by now. */
  workspaceId?: string;
  children: ReactNode;
  /** Said once the server has said so. */
  done?: string | ((value: Value) => ReactNode);
  onDone?: (value: Value) => void;
  className?: string;
};

/** A form around a server action, which also works before the scripts are there. Its fields show their own faults. */
export function ActionForm<Value>({
  action,
  workspaceId,
  children,
  done,
  onDone,
  className = "grid gap-4",
}: Props<Value>) {
  const [state, submit] = useActionState(action, null);
  const handled = useRef(state);
  useEffect(() => {
    if (state === handled.current) return;
    handled.current = state;
    if (state?.ok) onDone?.(state.value);
  }, [state, onDone]);
  return (
    <form action={submit} className={className}>
      {workspaceId === undefined ? null : <input type="hidden" name="workspaceId" value={workspaceId} />}
      <FieldIssues issues={state && !state.ok ? state.issues : {}}>{children}</FieldIssues>
      <Outcome state={state} done={done} />
    </form>
  );
}

const Issues = createContext<Record<string, string>>({});

/** What is wrong with the fields within, by name, beside what is said further out. */
export function FieldIssues({ issues, children }: { issues: Record<string, string>; children: ReactNode }) {
  const outer = useContext(Issues);
  return <Issues value={{ ...outer, ...issues }}>{children}</Issues>;
}

/** What is wrong with a field of the form that this stands in. */
export function useIssue(name: string): string | undefined {
  return useContext(Issues)[name];
}

function Outcome<Value>({ state, done }: { state: ActionState<Value> | null; done: Props<Value>["done"] }) {
  return (
    <>
      <div role="alert" className="not-has-[p]:sr-only">
        {state && !state.ok ? (
          <p className="flex gap-2 rounded-control bg-bad-fill px-3 py-2 text-bad">
            <Icon name="alert" className="mt-[3px]" />
            <span className="min-w-0 break-words">{state.message}</span>
          </p>
        ) : null}
      </div>
      <div role="status" className="not-has-[p]:sr-only">
        {state?.ok && done ? (
          <p className="flex gap-2 text-good">
            <Icon name="check" className="mt-[3px]" />
            {typeof done === "string" ? done : done(state.value)}
          </p>
        ) : null}
      </div>
    </>
  );
}
