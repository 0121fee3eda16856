"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { Progress } from "@/app/_components/progress";
import { type ComingShape, pageShapeOf } from "./page-shape";
import { PageSkeleton } from "./page-skeleton";
import { opensPanel } from "./panel-link";

/** After this long without the page, the one that was to be left is shown again. */
const PATIENCE_MS = 15_000;

/**
 * While the page behind a link or a filter is on its way: a bar at once, and a moment later its layout in grey. Pages answer
 * whole, with their own status and for readers without a script, so the layout cannot come from the server.
 */
export function ComingPage() {
  const here = addressOf(usePathname(), useSearchParams());
  const [coming, setComing] = useState<{ from: string; shape: ComingShape }>();
  useEffect(() => {
    const expect = (event: Event) => {
      const link = event instanceof MouseEvent ? linkOfClick(event) : undefined;
      const to = link ? new URL(link.href) : targetOfSearch(event);
      if (!to?.pathname.startsWith("/dashboard") || to.searchParams.has("workspace")) return;
      if (addressOf(to.pathname, to.searchParams) === here) return;
      setComing({ from: here, shape: link && opensPanel(link) ? "panel" : pageShapeOf(to.pathname) });
    };
    document.addEventListener("click", expect);
    document.addEventListener("submit", expect);
    return () => {
      document.removeEventListener("click", expect);
      document.removeEventListener("submit", expect);
    };
  }, [here]);
  useEffect(() => {
    if (!coming) return;
    const timer = setTimeout(() => setComing(undefined), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [coming]);
  if (coming?.from !== here) return null;
  return (
    <>
      <Progress />
      <PageSkeleton shape={coming.shape} />
    </>
  );
}

const addressOf = (pathname: string, parameters: URLSearchParams): string => `${pathname}?${parameters}`;

/** The link of a click that leads elsewhere in this window. */
const linkOfClick = (event: MouseEvent): HTMLAnchorElement | undefined => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || isElsewhere || link.target || link.hasAttribute("download")) return undefined;
  return link.origin === window.location.origin ? link : undefined;
};

/** Where a form of filters leads. One without an address of its own is answered by a script, in place. */
const targetOfSearch = ({ target }: Event): URL | undefined => {
  if (!(target instanceof HTMLFormElement) || target.method !== "get" || !target.hasAttribute("action"))
    return undefined;
  const to = new URL(target.action);
  for (const [name, value] of new FormData(target)) to.searchParams.append(name, String(value));
  return to;
};
