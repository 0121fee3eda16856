export type TokenKind = "plain" | "comment" | "string" | "keyword" | "name" | "constant";

/** A run of code that has one colour. Together the tokens of a text are the text. */
export type CodeToken = { kind: TokenKind; text: string };

const JSON_PART = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON is short enough to read here, so that a browser can colour a response without a highlighter. */
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

/** Joins neighbours of one kind. Blanks have no colour and join what they follow. */
export function merged(tokens: readonly CodeToken[]): CodeToken[] {
  const joined: CodeToken[] = [];
  for (const { kind, text } of tokens) {
    const last = joined.at(-1);
    if (last && (last.kind === kind || text.trim() === "")) last.text += text;
    else if (text !== "") joined.push({ kind, text });
  }
  return joined;
}
