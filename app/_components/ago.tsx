import { timeAgo } from "@/lib/core/time-ago";

/** A moment in words, exact on hover and focus (MomentDetails). */
export function Ago({ at }: { at: Date }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard's way to the exact moment
    <time dateTime={at.toISOString()} tabIndex={0} data-moment className="rounded-sm whitespace-nowrap">
      {timeAgo(at, new Date())}
    </time>
  );
}
