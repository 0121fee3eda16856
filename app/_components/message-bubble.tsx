import type { PreviewButton, PreviewHeader, PreviewPart } from "@/lib/templates/preview";
import type { Mark, Run } from "@/lib/templates/text-marks";
import { CardStrip } from "./card-strip";
import { Icon, type IconName } from "./icon";

/** The cards of a carousel below their message; nothing without cards. */
export function CardBubbles({ cards }: { cards: readonly PreviewPart[] }) {
  if (cards.length === 0) return null;
  return (
    <CardStrip>
      {cards.map((card, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a card is its place
        <Bubble key={index} part={card} offer={null} footer={null} className="h-full" />
      ))}
    </CardStrip>
  );
}

type BubbleProps = { part: PreviewPart; offer: string | null; footer: string | null; className?: string };

/** A message or a card of one, as WhatsApp draws it. Whatever it holds is shown as text. */
export function Bubble({ part, offer, footer, className = "" }: BubbleProps) {
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
        <BubbleButton key={index} {...button} />
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

function BubbleButton({ kind, label, target }: PreviewButton) {
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
