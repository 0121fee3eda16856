import type { ReactNode } from "react";
import type { CodeToken, TokenKind } from "@/lib/docs/code-tokens";
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

/** Coloured code. */
export function CodeText({ tokens }: { tokens: readonly CodeToken[] }) {
  return tokens.map(({ kind, text }, index) =>
    kind === "plain" ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never move
      <span key={index} className={COLOURS[kind]}>
        {text}
      </span>
    ),
  );
}

const COLOURS: Record<Exclude<TokenKind, "plain">, string> = {
  comment: "text-muted",
  string: "text-good",
  keyword: "text-read",
  name: "text-sent",
  constant: "text-caution",
};
