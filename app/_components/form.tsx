"use client";

import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  startTransition,
  useActionState,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { useFormStatus } from "react-dom";
import type { ActionState, FormAction } from "@/lib/auth/action";
import { Button } from "./button";
import { Icon } from "./icon";
import { useWorkspaceId } from "./link";
import type { Option } from "./options";
import { orUnanswered } from "./or-unanswered";
import { Unbroken } from "./text";

type Props<Value> = {
  action: FormAction<Value>;
  /** Hidden ones, beside the page's workspace. */
  fields?: HiddenFields;
  children: ReactNode;
  /** Shown after success. */
  done?: string | ((value: Value) => ReactNode) | undefined;
  onDone?: (value: Value) => void;
  className?: string;
};

/** A form around a server action, which also works before JavaScript has loaded. Its fields show their own faults. */
export function ActionForm<Value>({ action, fields, children, done, onDone, className = "grid gap-4" }: Props<Value>) {
  // Before JavaScript has loaded the browser posts it.
  const [posted, post] = useActionState(action, null);
  const [state, submit] = useActionState((_: unknown, given: FormData) => orUnanswered(action(null, given)), posted);
  const form = useRef<HTMLFormElement>(null);
  const handled = useRef(state);
  useEffect(() => {
    if (state === handled.current) return;
    handled.current = state;
    if (!state?.ok) return;
    form.current?.reset();
    onDone?.(state.value);
  }, [state, onDone]);
  // React empties a form after its action, also when that refused what was typed.
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter);
    startTransition(() => submit(given));
  };
  return (
    <form ref={form} action={post} onSubmit={send} className={className}>
      <Hidden fields={fields} />
      <FieldIssues issues={state && !state.ok ? state.issues : {}}>{children}</FieldIssues>
      <Outcome state={state} done={done} />
    </form>
  );
}

export type HiddenFields = Record<string, string | undefined>;

/** A member's action also takes the page's workspace, whichever was chosen in another tab. */
export function Hidden({ fields }: { fields?: HiddenFields | undefined }) {
  const workspaceId = useWorkspaceId();
  return Object.entries({ ...(workspaceId ? { workspaceId } : {}), ...fields }).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}

const Issues = createContext<Record<string, string>>({});

/** Adds faults of the fields within, by name, to those of the form around it. */
export function FieldIssues({ issues, children }: { issues: Record<string, string>; children: ReactNode }) {
  const outer = useContext(Issues);
  return <Issues value={{ ...outer, ...issues }}>{children}</Issues>;
}

/** What is wrong with a field of the form around it. */
export function useIssue(name: string): string | undefined {
  return useContext(Issues)[name];
}

function Outcome<Value>({ state, done }: { state: ActionState<Value> | null; done: Props<Value>["done"] }) {
  return (
    <>
      <div role="alert" className="not-has-[p]:sr-only">
        {state && !state.ok ? <Refusal>{state.message}</Refusal> : null}
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

/** Why a form was not done. */
export function Refusal({ children }: { children: ReactNode }) {
  return (
    <p className="flex gap-2 rounded-control bg-bad-fill px-3 py-2 text-bad">
      <Icon name="alert" className="mt-[3px]" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}

/** While the form is being sent it stays in the tab order and shows `busy`. */
export function SubmitButton({
  children,
  busy = "Saving…",
  ...rest
}: ComponentProps<typeof Button> & { busy?: string }) {
  const { pending } = useFormStatus();
  return (
    <Button
      {...rest}
      type="submit"
      aria-disabled={pending || rest["aria-disabled"]}
      onClick={(event) => (pending ? event.preventDefault() : rest.onClick?.(event))}
    >
      {pending ? busy : children}
    </Button>
  );
}

type StepFormProps<Value> = {
  action: FormAction<Value>;
  fields: HiddenFields;
  word: string;
  /** The accessible name, if `word` says too little by itself. */
  label?: string;
  busy: string;
  look?: ComponentProps<typeof Button>["look"];
  done?: Props<Value>["done"];
};

/** A button that does one thing at once, and shows its error. */
export function ActionButtonForm<Value>({
  action,
  fields,
  word,
  label,
  busy,
  look = "secondary",
  done,
}: StepFormProps<Value>) {
  return (
    <ActionForm
      action={action}
      fields={fields}
      done={done}
      className="grid justify-items-start [&>[role]:not(:empty)]:mt-2"
    >
      <SubmitButton look={look} busy={busy} aria-label={label}>
        {word}
      </SubmitButton>
    </ActionForm>
  );
}

/** While the form around it is being sent: what is happening, a moving bar, and the seconds so far. */
export function FormProgress({ text }: { text: string }) {
  const { pending } = useFormStatus();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!pending) return;
    setSeconds(0);
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, [pending]);
  if (!pending) return null;
  return (
    <div className="grid gap-1">
      <ProgressBar />
      <p role="status" className="text-sm text-muted">
        {text}
      </p>
      {seconds > 1 ? <p className="text-sm text-muted tabular-nums">{seconds} s</p> : null}
    </div>
  );
}

export function ProgressBar() {
  return (
    <span aria-hidden="true" className="block h-1 overflow-hidden rounded-full bg-hairline">
      <span className="progress-runner block h-full bg-accent" />
    </span>
  );
}

type Shared = {
  label: string;
  name: string;
  hint?: ReactNode;
  /** What is typed or chosen, where the page keeps it. */
  onText?: (text: string) => void;
};

/** At least 16 px under a finger: below that a telephone zooms into the field. */
export const CONTROL =
  "min-h-9 w-full rounded-control border border-control bg-page px-3 pointer-coarse:text-[1rem] aria-invalid:border-danger pointer-coarse:min-h-11";

export function Field({ className = "", ...given }: ComponentProps<"input"> & Shared) {
  const { control, around } = useControl(given);
  return (
    <Labelled {...around}>
      <input autoComplete="off" {...control} className={`${CONTROL} ${className}`} />
    </Labelled>
  );
}

export function TextArea({ className = "", ...given }: ComponentProps<"textarea"> & Shared) {
  const { control, around } = useControl(given);
  return (
    <Labelled {...around}>
      <textarea rows={4} {...control} className={`${CONTROL} py-2 ${className}`} />
    </Labelled>
  );
}

export function Select({ options, ...given }: ComponentProps<"select"> & Shared & { options: Option[] }) {
  const { control, around } = useControl(given);
  return (
    <Labelled {...around}>
      <select {...control} className={`${CONTROL} pe-8`}>
        {options.map(({ value, word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

type Given = Shared & { id?: string | undefined; "aria-describedby"?: string | undefined };

/** Ties a control to its label, its hint, and what is wrong with it. */
function useControl<Props extends Given>({ label, hint, onText, ...control }: Props) {
  const { name, id = name, "aria-describedby": described }: Omit<Given, "label" | "hint" | "onText"> = control;
  const issue = useIssue(name);
  const ids = [described, hint ? `${id}-hint` : "", issue ? `${id}-issue` : ""].filter(Boolean).join(" ");
  return {
    control: {
      ...(onText ? { onChange: ({ target }: { target: { value: string } }) => onText(target.value) } : {}),
      ...control,
      id,
      "aria-describedby": ids || undefined,
      "aria-invalid": issue ? true : undefined,
    },
    around: { id, label, hint, issue },
  };
}

type LabelledProps = { id: string; label: string; hint: ReactNode; issue: string | undefined; children: ReactNode };

function Labelled({ id, label, hint, issue, children }: LabelledProps) {
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      {hint ? (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {typeof hint === "string" ? <Unbroken text={hint} /> : hint}
        </p>
      ) : null}
      <Issue id={`${id}-issue`} text={issue} />
    </div>
  );
}

/** A checkbox or a radio button with its label. */
export function Tick({ children, ...input }: ComponentProps<"input"> & { type: "checkbox" | "radio" }) {
  return (
    <label className="flex min-h-6 items-start gap-2 py-0.5 pointer-coarse:min-h-11">
      <input {...input} className="mt-[3px] size-4 shrink-0 accent-accent" />
      <span className="min-w-0">{children}</span>
    </label>
  );
}

export function Issue({ id, text }: { id: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <p id={id} className="text-sm text-danger">
      {text}
    </p>
  );
}
