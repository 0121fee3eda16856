import type { CodeToken, TokenKind } from "@/lib/docs/code-tokens";

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
