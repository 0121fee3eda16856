"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Reads the page again every so often while somebody looks at it; what is typed or open stays. */
export function LiveRefresh({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") router.refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [router, everyMs]);
  return null;
}
