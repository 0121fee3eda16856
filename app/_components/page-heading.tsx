import type { ReactNode } from "react";

export function PageHeading({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-6">
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      {children ? <div className="mt-1.5 max-w-prose text-muted">{children}</div> : null}
    </header>
  );
}
