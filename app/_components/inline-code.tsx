import { Fragment } from "react";

/** Shows the parts of a sentence that stand between backticks as code. */
export function InlineCode({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed sentence never move
      <code key={index} className="rounded-sm bg-surface px-1 font-mono text-[0.92em] break-words ring-1 ring-hairline">
        {part}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed sentence never move
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
