"use client";

import { useEffect, useRef, useState } from "react";
import { CopyButton } from "./copy-button";

type Shown = { at: Date; left: number; above: number; below: number };

const HIDE_AFTER_MS = 250;

/** Shows the `<time data-moment>` under the pointer or the focus in four ways. One for the page, however many times it holds. */
export function MomentDetails({ timeZone }: { timeZone: string }) {
  const panel = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Shown | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => setShown(null);
    const follow = ({ target }: Event) => {
      if (!(target instanceof Element)) return;
      clearTimeout(timer);
      if (panel.current?.contains(target)) return;
      const time = target.closest<HTMLTimeElement>("time[data-moment]");
      if (!time) {
        timer = setTimeout(hide, HIDE_AFTER_MS);
        return;
      }
      const { left, top, bottom } = time.getBoundingClientRect();
      const place = { left: Math.min(left, innerWidth - 340), above: top - 4, below: bottom + 4 };
      setShown({ at: new Date(time.dateTime), ...place });
    };
    // If opened by focus, Escape closes only this; if opened by the pointer, also a panel or dialog below it.
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !panel.current) return;
      if (document.activeElement?.matches("time[data-moment]")) event.preventDefault();
      hide();
    };
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener("mouseover", follow, { signal });
    document.addEventListener("focusin", follow, { signal });
    document.addEventListener("keydown", closeOnEscape, { signal });
    document.addEventListener("scroll", hide, { signal, capture: true });
    return () => {
      clearTimeout(timer);
      listening.abort();
    };
  }, []);

  // Through the object model: the content security policy refuses styles in attributes.
  useEffect(() => {
    if (!panel.current || !shown) return;
    const { style, offsetHeight: height } = panel.current;
    const hasRoomBelow = shown.below + height <= innerHeight;
    style.setProperty("left", `${Math.max(8, shown.left)}px`);
    style.setProperty("top", `${hasRoomBelow ? shown.below : Math.max(0, shown.above - height)}px`);
  }, [shown]);

  if (!shown) return null;
  return (
    <div
      ref={panel}
      className="fixed z-40 grid w-[min(20rem,calc(100vw-1rem))] gap-1 rounded-card border border-hairline bg-page p-3 text-sm shadow-lg"
    >
      {readings(shown.at, timeZone).map(({ name, value }) => (
        <p key={name} data-copyable className="flex items-center justify-between gap-2">
          <span className="text-muted">{name}</span>
          <span className="flex items-center gap-2">
            <code className="font-mono text-sm">{value}</code>
            <CopyButton value={value} label={`${name} time`} />
          </span>
        </p>
      ))}
    </div>
  );
}

const readings = (at: Date, timeZone: string) => [
  { name: "Yours", value: wallClock(at, undefined) },
  { name: "Workspace", value: wallClock(at, timeZone) },
  { name: "UTC", value: at.toISOString() },
  { name: "Epoch", value: String(at.getTime()) },
];

const wallClock = (at: Date, timeZone: string | undefined) =>
  at.toLocaleString("sv-SE", { ...(timeZone ? { timeZone } : {}), timeZoneName: "short" });
