const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /"[^"\\\p{Cc}]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\p{Cc}]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|[{}[\],:]/uy;

type Expected = "value" | "item" | "first item" | "key" | "first key" | "colon" | "comma" | "end";

/** Where a text stops being JSON: the offset of the first token that cannot stand there. V8 often does not say. */
export function brokenAt(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected | undefined = "value";
  for (let at = 0; ; ) {
    at += matchAt(SPACE, text, at).length;
    const token = matchAt(TOKEN, text, at);
    if (token === "") return at;
    expected = next(expected, token, open);
    if (expected === undefined) return at;
    at += token.length;
  }
}

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
};

/** What may follow a token, or undefined where the token itself may not stand there. */
const next = (expected: Expected, token: string, open: ("{" | "[")[]): Expected | undefined => {
  const afterValue = () => (open.length === 0 ? "end" : "comma");
  const isValue = expected === "value" || expected === "item" || expected === "first item";
  switch (token) {
    case "{":
    case "[":
      if (!isValue) return undefined;
      open.push(token);
      return token === "{" ? "first key" : "first item";
    case "}":
    case "]": {
      const isOpen = open.at(-1) === (token === "}" ? "{" : "[");
      const mayEnd = expected === "comma" || expected === (token === "}" ? "first key" : "first item");
      if (!isOpen || !mayEnd) return undefined;
      open.pop();
      return afterValue();
    }
    case ",":
      if (expected !== "comma") return undefined;
      return open.at(-1) === "{" ? "key" : "item";
    case ":":
      return expected === "colon" ? "value" : undefined;
    default:
      if (expected === "key" || expected === "first key") return token.startsWith('"') ? "colon" : undefined;
      return isValue ? afterValue() : undefined;
  }
};
