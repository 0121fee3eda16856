import type { ReactNode } from "react";

export function Muted({ children }: { children: ReactNode }) {
  return <span className="text-muted">{children}</span>;
}

/** An id, a code or a name of the API. */
export function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-sm break-all">{children}</code>;
}
