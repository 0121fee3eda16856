import type { ReactNode } from "react";
import { CopyButton } from "./copy-button";

type Props = {
  label: string;
  /** The text, or the same in colours. */
  code: ReactNode;
  canCopy?: boolean;
};

export function CodeBlock({ code, label, canCopy = true }: Props) {
  return (
    <figure data-copyable className="overflow-hidden rounded-card border border-hairline bg-surface">
      <figcaption className="flex min-h-10 items-center justify-between gap-4 border-b border-hairline px-4 py-2 text-xs text-muted">
        {label}
        {canCopy ? <CopyButton label={label} /> : null}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto p-4 font-mono text-xs leading-5 focus-visible:-outline-offset-2"
      >
        <code>{code}</code>
      </pre>
    </figure>
  );
}
