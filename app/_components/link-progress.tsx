"use client";

import { useLinkStatus } from "next/link";

/** Within a link: moves along the window's upper edge while the page behind the link is on its way. */
export function LinkProgress() {
  const { pending } = useLinkStatus();
  return pending ? <Progress /> : null;
}

/** A page is on its way. */
export function Progress() {
  return (
    <span role="status" className="fixed inset-x-0 top-0 z-50 h-0.5 overflow-hidden">
      <span className="progress-runner block h-full bg-accent" />
      <span className="sr-only">Loading</span>
    </span>
  );
}
