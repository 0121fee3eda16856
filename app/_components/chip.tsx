import { Icon, type IconName } from "./icon";

export type Tone = "pending" | "sent" | "good" | "read" | "bad" | "caution";

/** Aligned to the text baseline; by itself an icon's lower edge would be. */
export function Chip({ tone, icon, word }: { tone: Tone; icon: IconName; word: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full border border-transparent px-2 py-0.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      <Icon name={icon} className="size-3.5" />
      <span className="self-baseline">{word}</span>
    </span>
  );
}

const TONES: Record<Tone, string> = {
  pending: "bg-pending-fill text-pending",
  sent: "bg-sent-fill text-sent",
  good: "bg-good-fill text-good",
  read: "bg-read-fill text-read",
  bad: "bg-bad-fill text-bad",
  caution: "bg-caution-fill text-caution",
};
