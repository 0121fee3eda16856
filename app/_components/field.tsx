"use client";

import type { ComponentProps, ReactNode } from "react";
import { useIssue } from "./action-form";

type Shared = { label: string; name: string; hint?: ReactNode };

const CONTROL =
  "min-h-9 w-full rounded-control border border-control bg-page px-3 text-lg sm:text-base aria-invalid:border-danger pointer-coarse:min-h-11";

export function Field({ label, name, hint, className = "", ...rest }: ComponentProps<"input"> & Shared) {
  const described = useDescription(name, rest["aria-describedby"], hint);
  return (
    <Labelled label={label} name={name} id={rest.id} hint={hint}>
      <input id={name} name={name} {...rest} {...described} className={`${CONTROL} ${className}`} />
    </Labelled>
  );
}

export function TextArea({ label, name, hint, className = "", ...rest }: ComponentProps<"textarea"> & Shared) {
  const described = useDescription(name, rest["aria-describedby"], hint);
  return (
    <Labelled label={label} name={name} id={rest.id} hint={hint}>
      <textarea id={name} name={name} rows={4} {...rest} {...described} className={`${CONTROL} py-2 ${className}`} />
    </Labelled>
  );
}

export function Select({ label, name, hint, className = "", children, ...rest }: ComponentProps<"select"> & Shared) {
  const described = useDescription(name, rest["aria-describedby"], hint);
  return (
    <Labelled label={label} name={name} id={rest.id} hint={hint}>
      <select id={name} name={name} {...rest} {...described} className={`${CONTROL} ${className}`}>
        {children}
      </select>
    </Labelled>
  );
}

function Labelled({
  label,
  name,
  id = name,
  hint,
  children,
}: Shared & { id?: string | undefined; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      <Notes name={id} hint={hint} issue={useIssue(name)} />
    </div>
  );
}

function Notes({ name, hint, issue }: { name: string; hint: ReactNode; issue: string | undefined }) {
  return (
    <>
      {hint ? (
        <p id={`${name}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      ) : null}
      {issue ? (
        <p id={`${name}-issue`} className="text-sm text-danger">
          {issue}
        </p>
      ) : null}
    </>
  );
}

const useDescription = (name: string, given: string | undefined, hint: ReactNode) => {
  const issue = useIssue(name);
  const ids = [given, hint ? `${name}-hint` : "", issue ? `${name}-issue` : ""].filter(Boolean).join(" ");
  return { "aria-describedby": ids || undefined, "aria-invalid": issue ? true : undefined };
};
