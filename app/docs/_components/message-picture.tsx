import { CardStrip } from "@/app/_components/card-strip";
import { Bubble } from "@/app/_components/message-bubble";
import { previewInteractive } from "@/lib/docs/interactive-preview";

/** How an interactive message looks. */
export function MessagePicture({ interactive }: { interactive: Record<string, unknown> }) {
  const { main, footer, cards } = previewInteractive(interactive);
  return (
    <figure className="grid gap-2">
      <figcaption className="text-sm text-muted">How it looks</figcaption>
      <div className="overflow-hidden rounded-card border border-hairline bg-chat p-3">
        <Bubble part={main} offer={null} footer={footer} />
        {cards.length > 0 ? (
          <CardStrip>
            {cards.map((card, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a card is its place
              <Bubble key={index} part={card} offer={null} footer={null} className="h-full" />
            ))}
          </CardStrip>
        ) : null}
      </div>
    </figure>
  );
}
