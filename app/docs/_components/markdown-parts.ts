import type { MarkedToken } from "marked";
import { ANCHOR } from "@/lib/docs/markdown";

export type Part = { id: string; title: string; tokens: MarkedToken[] };

/** What stands under each heading of a depth; the first part is what stands above them. */
export function partsOf(tokens: readonly MarkedToken[], depth: number): [Part, ...Part[]] {
  const parts: [Part, ...Part[]] = [{ id: "", title: "", tokens: [] }];
  for (const token of tokens) {
    if (token.type === "heading" && token.depth === depth) {
      const [, id = ""] = ANCHOR.exec(token.text) ?? [];
      parts.push({ id, title: token.text.replace(ANCHOR, ""), tokens: [] });
    } else parts.at(-1)?.tokens.push(token);
  }
  return parts;
}

/** A paragraph above code that is bold as a whole is its caption. */
export function captionOf(token: MarkedToken | undefined): string | undefined {
  if (token?.type !== "paragraph") return undefined;
  const [first, ...others] = token.tokens as MarkedToken[];
  return first?.type === "strong" && others.length === 0 ? first.text : undefined;
}

/** The code of a part with its captions, and the rest. What is folded up stays with the rest. */
export function withoutCode(tokens: readonly MarkedToken[]): { text: MarkedToken[]; code: MarkedToken[] } {
  const [shown, ...folded] = partsOf(tokens, 4);
  const isCode = (token: MarkedToken, index: number) =>
    token.type === "code" || (captionOf(token) !== undefined && shown.tokens[index + 1]?.type === "code");
  const end = folded.length === 0 ? tokens.length : shown.tokens.length;
  const top = tokens.slice(0, end);
  return {
    text: [...top.filter((token, index) => !isCode(token, index)), ...tokens.slice(end)],
    code: top.filter(isCode),
  };
}
