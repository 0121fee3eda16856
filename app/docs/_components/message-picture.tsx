import { Bubble, CardBubbles } from "@/app/_components/message-bubble";
import { previewInteractive } from "@/lib/docs/interactive-preview";

/** How an interactive message looks. */
export function MessagePicture({ interactive }: { interactive: Record<string, unknown> }) {
  const { main, footer, cards } = previewInteractive(interactive);
  return (
    <figure className="grid gap-2">
      <figcaption className="text-sm text-muted">How it looks</figcaption>
      <div className="overflow-hidden rounded-card border border-hairline bg-chat p-3">
        <Bubble part={main} offer={null} footer={footer} />
        <CardBubbles cards={cards} />
      </div>
    </figure>
  );
}
