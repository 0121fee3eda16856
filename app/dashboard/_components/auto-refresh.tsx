"use client";

import { usePathname, useRouter } from "next/navigation";
import { useContext, useEffect } from "react";
import { Beside } from "@/app/_components/heading";

/** Makes a panel's address another one, so that the router reads it alone and not the list beside it. The panel takes it away. */
export const LOOK = "look";

/** Reads the page again every so often while somebody looks at it; what is typed or open stays, and so does a list beside it. */
export function LiveRefresh({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  const path = usePathname();
  const isBeside = useContext(Beside);
  useEffect(() => {
    const timer = setInterval(() => {
      // A look in a panel would take the place of a page that is on its way.
      if (document.visibilityState !== "visible" || document.querySelector(".progress-runner")) return;
      if (isBeside) router.replace(`${path}?${LOOK}=${Date.now()}`, { scroll: false });
      else router.refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [router, path, isBeside, everyMs]);
  return null;
}
