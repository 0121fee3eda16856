"use client";

import { type ComponentProps, createContext, type ReactNode, useContext } from "react";
import { Icon } from "./icon";
import { Link } from "./link";

/** Set in a panel beside a list. The list keeps the page's first heading, so those in the panel are one level lower. */
export const Beside = createContext(false);

/** The id of the heading that names the panel. */
export const PANEL_TITLE_ID = "panel-title";

export function Heading({ level, ...rest }: ComponentProps<"h2"> & { level: 1 | 2 }) {
  const isBeside = useContext(Beside);
  if (level === 1) return isBeside ? <h2 {...rest} id={PANEL_TITLE_ID} /> : <h1 {...rest} />;
  return isBeside ? <h3 {...rest} /> : <h2 {...rest} />;
}

/** From a detail's page to its list; not shown in a panel, which is beside the list already. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  if (useContext(Beside)) return null;
  return (
    <p className="mb-2 text-sm">
      <Link href={href} className="inline-flex items-center gap-1.5 rounded-sm text-muted hover:text-ink">
        <Icon name="arrowLeft" />
        {children}
      </Link>
    </p>
  );
}

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
        <Heading level={1} className="text-xl font-bold tracking-tight text-balance">
          {title}
        </Heading>
        {children ? <div className="mt-1 max-w-prose text-muted">{children}</div> : null}
      </div>
      {actions}
    </header>
  );
}
