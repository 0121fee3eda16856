"use client";

import { Children, type ReactNode, useRef, useState } from "react";
import { Choice } from "@/app/_components/choice";
import { Icon, type IconName } from "@/app/_components/icon";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { type PreviewButton, type PreviewHeader, type PreviewPart, previewTemplate } from "@/lib/templates/preview";
import type { Mark, Run } from "@/lib/templates/text-marks";

type Props = {
  definition: TemplateDefinition;
  values: ReadonlyMap<string, string>;
  /** Of the body with its values; the editor counts the body itself. */
  hasCount?: boolean;
};

/** The message as its reader will see it. Whatever a template or a value holds is shown as text. */
export function TemplatePreview({ definition, values, hasCount = true }: Props) {
  const [scheme, setScheme] = useState<keyof typeof SCHEMES>("light");
  const { offer, footer, cards, ...main } = previewTemplate(definition, values);
  const { used, most } = main.characters;
  const isEmpty = !main.header && main.body.length + main.buttons.length === 0 && !offer && !footer;
  return (
    <section aria-labelledby="preview-title" className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="preview-title" className="font-semibold">
          Preview
        </h2>
        <Choice label="Colours of the preview" options={SCHEMES} value={scheme} onChange={setScheme} />
      </div>
      <div
        data-preview={scheme}
        className={`overflow-hidden rounded-card border border-hairline bg-chat p-3 text-ink ${scheme === "dark" ? "scheme-dark" : "scheme-light"}`}
      >
        {isEmpty ? (
          <p className="py-6 text-center text-sm text-muted">What you write appears here.</p>
        ) : (
          <Bubble part={main} offer={offer} footer={footer} />
        )}
        {cards.length > 0 ? (
          <CardStrip>
            {cards.map((card, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a card is its place
              <Bubble key={index} part={card} offer={null} footer={null} className="h-full" />
            ))}
          </CardStrip>
        ) : null}
      </div>
      {hasCount ? (
        <p className={`text-sm tabular-nums ${used > most ? "text-danger" : "text-muted"}`}>
          {used}/{most} characters in the body
        </p>
      ) : null}
    </section>
  );
}

const SCHEMES = { light: "Light", dark: "Dark" };

type BubbleProps = { part: PreviewPart; offer: string | null; footer: string | null; className?: string };

function Bubble({ part, offer, footer, className = "" }: BubbleProps) {
  const { header, body, buttons } = part;
  return (
    <div className={`w-full max-w-80 overflow-hidden rounded-card bg-bubble shadow-sm ${className}`}>
      <div className="grid gap-1 p-1.5">
        {header ? <Header header={header} /> : null}
        {offer ? (
          <p dir="auto" className="px-1.5 font-semibold">
            {offer}
          </p>
        ) : null}
        {body.length > 0 ? (
          <p dir="auto" className="px-1.5 py-0.5 break-words whitespace-pre-wrap">
            <Runs runs={body} />
          </p>
        ) : null}
        {footer ? (
          <p dir="auto" className="px-1.5 text-sm text-muted">
            {footer}
          </p>
        ) : null}
      </div>
      {buttons.map((button, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a button is its place
        <Button key={index} {...button} />
      ))}
    </div>
  );
}

function Header({ header }: { header: PreviewHeader }) {
  if (header.kind === "text") {
    return (
      <p dir="auto" className="px-1.5 pt-0.5 font-semibold break-words">
        <Runs runs={header.runs} />
      </p>
    );
  }
  const format = header.format.toLowerCase();
  const icon: IconName = format === "video" ? "video" : format === "document" ? "docs" : "image";
  return (
    <div className="grid aspect-[1.91] content-center justify-items-center gap-1 rounded-control bg-chat px-3 text-center text-sm text-muted">
      <Icon name={icon} className="size-6" />
      <span>{format}</span>
      {header.kind === "media" && header.source ? (
        <span className="line-clamp-2 break-all">{header.source}</span>
      ) : null}
    </div>
  );
}

function Button({ kind, label, target }: PreviewButton) {
  const isPhone = kind === "fixed" && /^\+?\d/.test(target[0]?.text ?? "");
  return (
    <div className="border-t border-hairline px-3 py-2 text-center">
      <span className="inline-flex items-center gap-2 font-medium text-link">
        <Icon name={isPhone ? "phone" : (BUTTON_ICONS[kind] ?? "template")} />
        <span dir="auto">{label}</span>
      </span>
      {target.length > 0 ? (
        <span className="block text-sm break-all text-muted">
          <Runs runs={target} />
        </span>
      ) : null}
    </div>
  );
}

const BUTTON_ICONS: Partial<Record<PreviewButton["kind"], IconName>> = {
  url: "external",
  fixed: "external",
  copyCode: "copy",
  quickReply: "reply",
};

function Runs({ runs }: { runs: Run[] }) {
  return runs.map((run, index) => {
    const look = run.marks.map((mark) => LOOKS[mark]).join(" ");
    return run.slot === null ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the runs of a text have no other name
      <span key={index} className={look || undefined}>
        {run.text}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the runs of a text have no other name
      <span key={index} className="rounded-full bg-caution-fill px-1.5 py-px font-mono text-sm text-caution">
        {run.slot}
      </span>
    );
  });
}

const LOOKS: Record<Mark, string> = {
  bold: "font-semibold",
  italic: "italic",
  strike: "line-through",
  mono: "font-mono text-[0.92em]",
};

/** A carousel's cards in a row: swiped, scrolled by keyboard, or moved by its buttons. */
function CardStrip({ children }: { children: ReactNode }) {
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
