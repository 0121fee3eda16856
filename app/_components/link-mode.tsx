"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { createContext, type ReactNode, useCallback, useContext, useEffect } from "react";
import type { Mode } from "@/db/schema/identity";
import { inMode, readMode, showsOneMode } from "@/lib/core/page-mode";

const Tab = createContext<Mode | undefined>(undefined);
const Record = createContext<Mode | undefined>(undefined);

/** The mode of the tab; undefined outside the dashboard. */
export function useTabMode(): Mode | undefined {
  return useContext(Tab);
}

/** Returns an address in the mode in which it is opened from here. */
export function useAddressInMode(): (href: string) => string {
  const tab = useContext(Tab);
  const record = useContext(Record);
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
    // By the router: an address that is only written would not be the one of the page that Back looks for.
    router.replace(`${pathname}?${named}${window.location.hash}`, { scroll: false });
  }, [router, pathname, parameters, mode]);
  return null;
}

/** Around something that belongs to one mode, such as a message: lists are opened in that mode, which has it. */
export function RecordMode({ mode, children }: { mode: Mode; children: ReactNode }) {
  return <Record value={mode}>{children}</Record>;
}
