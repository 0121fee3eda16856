import type { ReactNode } from "react";
import { Heading } from "./heading";

export function PageHeading({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-6">
      <Heading level={1} className="text-xl font-semibold tracking-tight">
        {title}
      </Heading>
      {children ? <div className="mt-1.5 max-w-prose text-muted">{children}</div> : null}
    </header>
  );
}
