"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";

/** Whether the list looks for new messages: part of the address, as the filters are. */
export function LiveSwitch({ isLive }: { isLive: boolean }) {
  const router = useRouter();
  const pathname = usePathname();
  const address = useSearchParams();
  const turn = () => {
    const next = new URLSearchParams(address);
    if (isLive) next.delete("live");
    else next.set("live", "on");
    router.replace(`${pathname}?${next}`, { scroll: false });
  };
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isLive}
      onClick={turn}
      className="inline-flex min-h-8 items-center gap-2 rounded-control border border-control px-2.5 text-sm hover:bg-surface pointer-coarse:min-h-11"
    >
      <span
        aria-hidden="true"
        className={`size-2 rounded-full border ${isLive ? "border-accent bg-accent" : "border-control"}`}
      />
      Live
    </button>
  );
}
