import type { ReactNode } from "react";
import { ButtonLink } from "./button";
import { Link, TextLink } from "./link";
import { Unbroken } from "./text";

type Props = {
  href?: "/" | "/dashboard";
  /** Only the mark on a narrow screen. */
  isShort?: boolean;
};

export function Brand({ href = "/", isShort = false }: Props) {
  return (
    <Link
      href={href}
      className="inline-flex items-center gap-2 rounded-control py-1 text-base font-semibold tracking-tight"
    >
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6">
        <rect width="32" height="32" rx="8" className="fill-brand" />
        <g className="fill-none stroke-on-brand" strokeWidth={2.5} strokeLinecap="round">
          <circle cx="10" cy="10" r="3.25" />
          <circle cx="22" cy="22" r="3.25" />
          <path d="M10 13.25C10 20 22 12 22 18.75" />
        </g>
        <g className="fill-on-brand" opacity={0.55}>
          <circle cx="22" cy="10" r="2" />
          <circle cx="10" cy="22" r="2" />
        </g>
      </svg>
      <span className={isShort ? "sr-only sm:not-sr-only" : ""}>Switchboard</span>
    </Link>
  );
}

/** The bar over the public pages. */
export function SiteHeader({ isWide = false }: { isWide?: boolean }) {
  return (
    <header className="border-b border-hairline">
      <div
        className={`mx-auto flex max-w-[80rem] flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-6 ${isWide ? "2xl:max-w-[96rem]" : ""}`}
      >
        <Brand />
        <nav aria-label="Site" className="flex items-center gap-5">
          <TextLink href="/docs" className="py-1">
            Docs
          </TextLink>
          <ButtonLink href="/dashboard" look="secondary">
            Dashboard
          </ButtonLink>
        </nav>
      </div>
    </header>
  );
}

/** The frame of the pages in front of the dashboard. */
export function Entrance({ title, children, below }: { title: string; children: ReactNode; below?: ReactNode }) {
  return (
    <main id="main" className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-4 py-12">
      <div className="mb-8">
        <Brand />
      </div>
      <h1 className="text-xl font-bold tracking-tight text-balance">
        <Unbroken text={title} />
      </h1>
      {children}
      {below ? <div className="mt-6 text-muted">{below}</div> : null}
    </main>
  );
}
