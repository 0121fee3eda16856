"use client";

import { useEffect, useState } from "react";
import { useFormStatus } from "react-dom";

/** Within a form: what is going on while it is on its way, with a bar that moves and the seconds so far. */
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
      <span className="block h-1 overflow-hidden rounded-full bg-hairline">
        <span className="progress-runner block h-full bg-accent" />
      </span>
      <p role="status" className="text-sm text-muted">
        {text}
      </p>
      {seconds > 1 ? <p className="text-sm text-muted tabular-nums">{seconds} s</p> : null}
    </div>
  );
}
