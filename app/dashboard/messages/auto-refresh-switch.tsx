"use client";

import { useRouter } from "next/navigation";
import { useAddressInMode } from "@/app/_components/link-mode";

/** Whether the list looks for new messages: part of its address, as the filters are. `turned` is the list with the other choice. */
export function AutoRefreshSwitch({ isOn, turned }: { isOn: boolean; turned: string }) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      onClick={() => router.replace(addressOf(turned), { scroll: false })}
      className="inline-flex min-h-8 items-center gap-2 rounded-control border border-control px-2.5 text-sm hover:bg-surface pointer-coarse:min-h-11"
    >
      <span
        aria-hidden="true"
        className={`size-2 rounded-full border ${isOn ? "border-accent bg-accent" : "border-control"}`}
      />
      Auto-refresh
    </button>
  );
}
