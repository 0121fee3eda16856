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
    <Figure label={label} copy={canCopy ? <CopyButton label={label} /> : null}>
      <Pre>{code}</Pre>
    </Figure>
  );
}

/** From this many lines on the rest is folded; a fold of a few lines would save nothing. */
const FOLDED_FROM = 24;
const SHOWN_LINES = 16;

/** Text of any length, such as a body: a long one shows its first lines, and all of it is copied. */
export function FoldedCode({ code, label }: { code: string; label: string }) {
  const lines = indented(code).split("\n");
  const shown = lines.length < FOLDED_FROM ? lines.length : SHOWN_LINES;
  const folded = lines.slice(shown);
  return (
    <Figure label={label} copy={<CopyButton label={label} value={code} />}>
      <Pre>{lines.slice(0, shown).join("\n")}</Pre>
      {folded.length > 0 ? (
        <details className="group">
          <summary className="list-none px-4 pb-3 text-sm text-link group-open:hidden [&::-webkit-details-marker]:hidden">
            Show {folded.length} more lines
          </summary>
          <Pre className="-mt-4 pt-0">{folded.join("\n")}</Pre>
        </details>
      ) : null}
    </Figure>
  );
}

/** JSON on one line, indented, unless that would change what it says: a number of many digits, or a key that is there twice. */
function indented(text: string): string {
  try {
    const value: unknown = text.includes("\n") ? undefined : JSON.parse(text);
    const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
    return JSON.stringify(value) === compact ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

function Figure({ label, copy, children }: { label: string; copy: ReactNode; children: ReactNode }) {
  return (
    <figure data-copyable className="overflow-hidden rounded-card bg-surface">
      <figcaption className="flex min-h-10 items-center justify-between gap-4 px-4 pt-2 text-sm text-muted">
        <span className="min-w-0 wrap-anywhere">{label}</span>
        {copy}
      </figcaption>
      {children}
    </figure>
  );
}

function Pre({ className = "", children }: { className?: string; children: ReactNode }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={`fade-at-end overflow-x-auto p-4 font-mono text-sm leading-5 focus-visible:-outline-offset-2 ${className}`}
    >
      <code>{children}</code>
    </pre>
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
