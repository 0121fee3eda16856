"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";
import { readData } from "@/app/_components/api-call";
import { Icon } from "@/app/_components/icon";
import { Progress, useAddressInMode } from "@/app/_components/link";

const EVERY_MS = 3_000;
const MAX_COUNTED = 100;

type Props = { route: string; firstPage: string; isFirstPage: boolean };

/** Says how many new messages there are. They come into the list when the user asks for them, not while it is read. */
export function NewerBar({ route, firstPage, isFirstPage }: Props) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  const [newer, setNewer] = useState(0);
  const [isAway, setIsAway] = useState(false);
  useEffect(() => {
    let isOver = false;
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      const found = await readData<{ newer: number }>(route);
      if (isOver) return;
      setIsAway(found === undefined);
      if (found) setNewer(found.newer);
    };
    const timer = setInterval(look, EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [route]);
  const show = () => (isFirstPage ? router.refresh() : router.push(addressOf(firstPage)));
  return (
    <div role="status" className="mb-3 empty:hidden">
      {isAway ? (
        <p className="text-sm text-caution">Auto-refresh has paused: the server does not answer.</p>
      ) : newer > 0 ? (
        <button
          type="button"
          onClick={show}
          className="inline-flex min-h-9 w-full items-center justify-center gap-2 rounded-control bg-sent-fill px-3 font-medium text-sent pointer-coarse:min-h-11"
        >
          <Icon name="refresh" />
          {newer > MAX_COUNTED - 1 ? "99+" : newer} new: show
        </button>
      ) : null}
    </div>
  );
}

/** Whether the list looks for new messages: part of its address, as the filters are. `turned` is the list with the other choice. */
export function AutoRefreshSwitch({ isOn, turned }: { isOn: boolean; turned: string }) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  // Its progress keeps a panel's refresh from cancelling it.
  const [isPending, startTransition] = useTransition();
  return (
    <>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        onClick={() => startTransition(() => router.replace(addressOf(turned), { scroll: false }))}
        className="inline-flex min-h-7 items-center gap-2 rounded-control border border-control px-2.5 text-sm font-medium hover:opacity-90 pointer-coarse:min-h-11"
      >
        <span
          aria-hidden="true"
          className={`size-2 rounded-full border ${isOn ? "border-accent bg-accent" : "border-control"}`}
        />
        Auto-refresh
      </button>
      {isPending ? <Progress /> : null}
    </>
  );
}
