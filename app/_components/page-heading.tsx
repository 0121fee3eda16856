import type { ReactNode } from "react";
import { Heading } from "./heading";

type Props = {
  title: ReactNode;
  /** What can be done on the page, beside the title. */
  actions?: ReactNode;
  children?: ReactNode;
};

export function PageHeading({ title, actions, children }: Props) {
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
      <div className="min-w-0">
        <Heading level={1} className="text-xl font-semibold tracking-tight">
          {title}
        </Heading>
        {children ? <div className="mt-1.5 max-w-prose text-muted">{children}</div> : null}
      </div>
      {actions}
    </header>
  );
}
