import type { MarkedToken, Token } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { InlineCode } from "@/app/_components/inline-code";
import { RetryChip } from "@/app/_components/retry-chip";
import { MessageStatusChip } from "@/app/_components/status-chips";
import { TextLink } from "@/app/_components/text-link";
import { ANCHOR } from "@/lib/docs/markdown";

/** A run of text: code, links, bold, and chips. */
export function Inline({ tokens = [] }: { tokens?: Token[] }) {
  return together(tokens.map((token) => inline(token as MarkedToken)));
}

const inline = (token: MarkedToken): ReactNode => {
  switch (token.type) {
    case "codespan":
      return <InlineCode text={`\`${token.text}\``} />;
    case "strong":
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} />
        </strong>
      );
    case "em":
      return chipOf(token.text);
    case "link":
      return linkTo(token.href, <Inline tokens={token.tokens} />);
    case "text":
    case "escape":
      return token.text.replace(ANCHOR, "");
    default:
      throw new Error(`the docs have no ${token.type} in their text: ${token.raw}`);
  }
};

/** Emphasis marks what the product shows as a chip: the advice on a retry, or the status of a message. */
const chipOf = (word: string): ReactNode => {
  const advice = ADVICE[word];
  return advice ? <RetryChip advice={advice} /> : <MessageStatusChip status={word.toUpperCase()} />;
};

const ADVICE: Record<string, "yes" | "no" | "sometimes"> = { Yes: "yes", No: "no", "It depends": "sometimes" };

/** A file is no page that the router could open. The pages of errors are too many to fetch before they are asked for. */
const linkTo = (href: string, words: ReactNode): ReactNode => {
  if (/\.\w+$/.test(href)) {
    return (
      <a href={href} className="rounded-sm text-link underline decoration-1 underline-offset-2 hover:decoration-2">
        {words}
      </a>
    );
  }
  const isError = href.startsWith("/docs/errors/");
  return (
    <TextLink href={href} {...(isError ? { prefetch: false } : {})}>
      {words}
    </TextLink>
  );
};

/** Children that never move need no keys. */
export function together(nodes: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...nodes);
}
