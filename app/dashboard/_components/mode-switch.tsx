"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { Link } from "@/app/_components/link";
import { useTabMode } from "@/app/_components/link-mode";
import { showsOneMode, switchedTo } from "@/lib/core/page-mode";

/** Leads to the same page in the other mode. Absent on pages that the mode changes nothing on. */
export function ModeSwitch() {
  const pathname = usePathname();
  const parameters = useSearchParams();
  const mode = useTabMode();
  if (!showsOneMode(pathname)) return null;
  return (
    <nav aria-label="Mode" className="inline-flex rounded-control border border-control p-0.5">
      {(["test", "live"] as const).map((choice) => (
        <Link
          key={choice}
          href={switchedTo(choice, pathname, parameters)}
          prefetch={false}
          scroll={false}
          aria-current={choice === mode ? "true" : undefined}
          className="inline-flex min-h-7 items-center rounded-[0.25rem] px-2.5 text-sm text-muted aria-[current=true]:bg-ink aria-[current=true]:font-medium aria-[current=true]:text-page pointer-coarse:min-h-11"
        >
          {choice === "live" ? "Live" : "Test"}
        </Link>
      ))}
    </nav>
  );
}
