"use client";

import NextLink, { useLinkStatus } from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { type ComponentProps, createContext, type ReactNode, useCallback, useContext, useEffect } from "react";
import { createPortal } from "react-dom";
import { inMode, readMode, showsOneMode } from "@/lib/core/page-mode";
import type { Mode } from "@/lib/core/principal";

type Props = Omit<ComponentProps<typeof NextLink>, "href" | "prefetch"> & { href: string };

/**
 * Every link of the product: within the dashboard it carries the tab's mode. Nothing is fetched before it is asked for: of
 * pages that depend on who reads them a prefetch brings 200 bytes, and a page has twenty links.
 */
export function Link({ href, children, ...rest }: Props) {
  return (
    <NextLink {...rest} prefetch={false} href={useAddressInMode()(href)}>
      {children}
      <LinkProgress />
    </NextLink>
  );
}

/** Outside of the link: it is no part of the link's name, and shows when the link's menu has closed. */
function LinkProgress() {
  return useLinkStatus().pending ? createPortal(<Progress />, document.body) : null;
}

/** Moves along the window's upper edge while a page loads. */
export function Progress() {
  return (
    <span role="status" className="fixed inset-x-0 top-0 z-50 h-0.5 overflow-hidden">
      <span className="progress-runner block h-full bg-accent" />
      <span className="sr-only">Loading</span>
    </span>
  );
}

export function TextLink({ className = "", ...rest }: ComponentProps<typeof Link>) {
  return (
    <Link
      {...rest}
      className={`rounded-sm text-link underline decoration-link/40 underline-offset-2 hover:decoration-link ${className}`}
    />
  );
}

const Tab = createContext<Mode | undefined>(undefined);
const Scope = createContext<{ workspaceId?: string; recordMode?: Mode | undefined }>({});

/** The mode of the tab; undefined outside the dashboard. */
export function useTabMode(): Mode | undefined {
  return useContext(Tab);
}

/** Returns an address in the mode in which it is opened from here. */
export function useAddressInMode(): (href: string) => string {
  const tab = useContext(Tab);
  const { recordMode: record } = useContext(Scope);
  return useCallback(
    (href) => inMode(href, showsOneMode(href.split(/[?#]/, 1)[0] ?? "") ? (record ?? tab) : tab),
    [tab, record],
  );
}

/** Links keep the mode of the page's address, so each tab stays in its own. `standard` is the mode of an address without one. */
export function TabMode({ standard, children }: { standard: Mode; children: ReactNode }) {
  return <Tab value={readMode(useSearchParams().get("mode")) ?? standard}>{children}</Tab>;
}

/** Writes the mode that a page shows into an address without one, so that a reload and a copied link show the same. */
export function PageMode({ mode }: { mode: Mode }) {
  const router = useRouter();
  const pathname = usePathname();
  const parameters = useSearchParams();
  useEffect(() => {
    if (!showsOneMode(pathname) || readMode(parameters.get("mode"))) return;
    const named = new URLSearchParams(parameters);
    named.set("mode", mode);
    // Through the router: with history.replaceState alone, Back would not find the page.
    router.replace(`${pathname}?${named}${window.location.hash}`, { scroll: false });
  }, [router, pathname, parameters, mode]);
  return null;
}

type ScopeProps = { workspaceId: string; recordMode: Mode | undefined; children: ReactNode };

/** A page's workspace, and the mode of the record that it shows, if any: its links to lists keep that mode. */
export function PageScope({ children, ...scope }: ScopeProps) {
  return <Scope value={scope}>{children}</Scope>;
}

/** The workspace of the page, whichever was chosen in another tab; "" outside of a member's pages. */
export function useWorkspaceId(): string {
  return useContext(Scope).workspaceId ?? "";
}

/** Opens a page of the dashboard in the mode in which a link from here would. */
export function useGoTo(): (href: string) => void {
  const router = useRouter();
  const addressOf = useAddressInMode();
  return useCallback((href) => router.push(addressOf(href)), [router, addressOf]);
}
