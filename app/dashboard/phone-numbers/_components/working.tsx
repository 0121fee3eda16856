"use client";

import { useFormStatus } from "react-dom";

/** Within a form: moves while it is on its way. */
export function Working() {
  const { pending } = useFormStatus();
  return pending ? <RunningBar /> : null;
}

export function RunningBar() {
  return (
    <span aria-hidden="true" className="block h-0.5 w-full max-w-60 overflow-hidden rounded-full bg-hairline">
      <span className="progress-runner block h-full bg-accent" />
    </span>
  );
}
