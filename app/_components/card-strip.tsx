"use client";

import { Children, type ReactNode, useRef, useState } from "react";
import { Icon } from "./icon";

/** A carousel's cards in a row: swiped, scrolled by keyboard, or moved by its buttons. */
export function CardStrip({ children }: { children: ReactNode }) {
  const strip = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  // The card that a button scrolls to: cards that pass on the way are not the current one.
  const called = useRef<number>(undefined);
  const forget = () => {
    called.current = undefined;
  };
  const cards = Children.toArray(children);

  const show = (index: number) => {
    const card = strip.current?.children[index];
    if (!(card instanceof HTMLElement) || !strip.current) return;
    strip.current.scrollTo({ left: card.offsetLeft - strip.current.offsetLeft });
    called.current = index;
    setCurrent(index);
  };
  const follow = () => {
    const element = strip.current;
    if (!element) return;
    const { left, right } = element.getBoundingClientRect();
    const all = [...element.children];
    const offsets = all.map((card) => Math.abs(card.getBoundingClientRect().left - left));
    // The last card never reaches the edge: once it is wholly in view, it is the one.
    const isAtEnd = (all.at(-1)?.getBoundingClientRect().right ?? 0) <= right + 1;
    const nearest = isAtEnd ? all.length - 1 : offsets.indexOf(Math.min(...offsets));
    if (called.current === nearest) forget();
    if (called.current === undefined) setCurrent(nearest);
  };

  return (
    <div className="mt-2 grid gap-2">
      <ul
        ref={strip}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label="Cards"
        onScroll={follow}
        onScrollEnd={forget}
        onWheel={forget}
        onTouchStart={forget}
        onKeyDown={forget}
        className="relative flex snap-x snap-mandatory gap-2 overflow-x-auto focus-visible:-outline-offset-2 motion-safe:scroll-smooth"
      >
        {cards.map((card, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a card is its place
          <li key={index} className="w-[85%] shrink-0 snap-start">
            {card}
          </li>
        ))}
      </ul>
      <div className="flex items-center justify-center gap-3">
        <Arrow label="Previous card" icon="arrowLeft" isOff={current === 0} onClick={() => show(current - 1)} />
        <span aria-live="polite" className="text-sm tabular-nums">
          Card {current + 1} of {cards.length}
        </span>
        <Arrow
          label="Next card"
          icon="arrowRight"
          isOff={current === cards.length - 1}
          onClick={() => show(current + 1)}
        />
      </div>
    </div>
  );
}

type ArrowProps = { label: string; icon: "arrowLeft" | "arrowRight"; isOff: boolean; onClick: () => void };

function Arrow({ label, icon, isOff, onClick }: ArrowProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-disabled={isOff}
      onClick={() => (isOff ? undefined : onClick())}
      className="inline-flex size-8 items-center justify-center rounded-full border border-control bg-bubble aria-disabled:opacity-50 pointer-coarse:size-11"
    >
      <Icon name={icon} />
    </button>
  );
}
