export type TokenKind = "plain" | "comment" | "string" | "keyword" | "name" | "constant";

/** A run of code with one color. The tokens of a text concatenate to the text. */
export type CodeToken = { kind: TokenKind; text: string };

const JSON_PART = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Tokenizes JSON by hand, so that the browser can color a response without a highlighter. */
export function jsonTokens(text: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  let end = 0;
  for (const { 0: part, 1: quoted, 2: colon, index } of text.matchAll(JSON_PART)) {
    const kind = quoted === undefined ? "constant" : colon === undefined ? "string" : "name";
    const coloured = quoted ?? part;
    tokens.push({ kind: "plain", text: text.slice(end, index) }, { kind, text: coloured });
    end = index + coloured.length;
  }
  return merged([...tokens, { kind: "plain", text: text.slice(end) }]);
}

/** Merges adjacent tokens of one kind. Whitespace joins the previous token. */
export function merged(tokens: readonly CodeToken[]): CodeToken[] {
  const joined: CodeToken[] = [];
  for (const { kind, text } of tokens) {
    const last = joined.at(-1);
    if (last && (last.kind === kind || text.trim() === "")) last.text += text;
    else if (text !== "") joined.push({ kind, text });
  }
  return joined;
}
