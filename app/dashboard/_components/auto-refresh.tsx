"use client";

import { usePathname, useRouter } from "next/navigation";
import { useContext, useEffect } from "react";
import { Beside } from "@/app/_components/heading";
import { useAddressInMode } from "@/app/_components/link";
import { REFRESH_COOKIE } from "@/lib/core/page-mode";

/** Changes a panel's address, so that the router reads the panel alone and not the list. The panel removes it. */
export const REFRESH_PARAMETER = "look";

/** Refreshes the page at an interval while it is visible; what is typed or open stays, and so does a list beside it. */
export function AutoRefresh({ everyMs }: { everyMs: number }) {
  const router = useRouter();
  const path = usePathname();
  const addressOf = useAddressInMode();
  const isBeside = useContext(Beside);
  useEffect(() => {
    let isOver = false;
    const timer = setInterval(async () => {
      if (document.visibilityState !== "visible" || !(await isServerThere()) || isOver) return;
      // biome-ignore lint/suspicious/noDocumentCookie: the other way is asynchronous, and not in every browser
      document.cookie = `${REFRESH_COOKIE}=1; Path=/dashboard; Max-Age=5; SameSite=Strict`;
      // A refresh of a panel would cancel the page that is loading, and one below a dialog may take the dialog away.
      if (document.querySelector(".progress-runner, dialog[open]")) return;
      if (isBeside) router.replace(addressOf(`${path}?${REFRESH_PARAMETER}=${Date.now()}`), { scroll: false });
      else router.refresh();
    }, everyMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [router, path, addressOf, isBeside, everyMs]);
  return null;
}

/** Checked before a refresh: if that gets no answer, the router loads the page, and the browser's error page replaces it. */
async function isServerThere(): Promise<boolean> {
  try {
    const { ok } = await fetch("/icon.svg", { method: "HEAD", cache: "no-store" });
    return ok;
  } catch {
    return false;
  }
}
