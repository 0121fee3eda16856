import { setNewest } from "@/lib/core/process-wide";
import { type CodeToken, jsonTokens, merged, type TokenKind } from "./code-tokens";

/** Cached code blocks. A page has a few dozen; those with a reader's key differ per workspace. */
const MAX_KEPT = 500;

const kept = new Map<string, CodeToken[]>();

/** Tokenizes a code block by its fence's language; without a grammar it stays plain. */
export async function highlighted(code: string, language: string): Promise<CodeToken[]> {
  if (language === "json") return jsonTokens(code);
  if (language === "http") return httpTokens(code);
  const grammar = GRAMMARS[language];
  if (grammar === undefined) return [{ kind: "plain", text: code }];
  const name = `${grammar} ${code}`;
  highlighter ??= createHighlighter();
  const tokens = kept.get(name) ?? withJsonBody(code, merged((await highlighter)(code, grammar)), language);
  setNewest(kept, name, tokens, MAX_KEPT);
  return tokens;
}

const GRAMMARS: Record<string, string> = {
  sh: "shellscript",
  js: "typescript",
  ts: "typescript",
  python: "python",
};

/** Colors the JSON body in a curl command as JSON, not as a shell string. */
function withJsonBody(code: string, tokens: CodeToken[], language: string): CodeToken[] {
  const { index = -1, 0: body = "" } = (language === "sh" && /(?<=-d ')\{[\s\S]*\}(?=')/.exec(code)) || {};
  if (index === -1) return tokens;
  return merged([...cut(tokens, 0, index), ...jsonTokens(body), ...cut(tokens, index + body.length, code.length)]);
}

/** The part of a text from one place to another. */
function cut(tokens: readonly CodeToken[], from: number, to: number): CodeToken[] {
  let at = 0;
  return tokens.map(({ kind, text }) => {
    const start = at;
    at += text.length;
    return { kind, text: text.slice(Math.max(0, from - start), Math.max(0, to - start)) };
  });
}

/** A status line and headers, then the body. */
function httpTokens(text: string): CodeToken[] {
  const [head = "", body = ""] = text.split(/(?<=\n\n)([\s\S]*)/, 2);
  return merged([{ kind: "plain", text: head }, ...jsonTokens(body)]);
}

type Tokenize = (code: string, grammar: string) => CodeToken[];

/** Created on first use: compiling the grammars takes half a second. */
let highlighter: Promise<Tokenize> | undefined;

async function createHighlighter(): Promise<Tokenize> {
  const [{ createShikiPrimitive, codeToTokensBase }, { createJavaScriptRegexEngine }, ...langs] = await Promise.all([
    import("@shikijs/primitive"),
    import("@shikijs/engine-javascript"),
    import("@shikijs/langs/shellscript").then(({ default: grammar }) => grammar),
    import("@shikijs/langs/typescript").then(({ default: grammar }) => grammar),
    import("@shikijs/langs/python").then(({ default: grammar }) => grammar),
  ]);
  const engine = createJavaScriptRegexEngine();
  const shiki = createShikiPrimitive({ themes: [THEME], langs, engine });
  return (code, lang) =>
    codeToTokensBase(shiki, code, { lang, theme: THEME.name }).flatMap((line, index) => [
      ...(index > 0 ? [{ kind: "plain", text: "\n" } as const] : []),
      ...line.map(({ content, color }) => ({ kind: kindOf(color), text: content })),
    ]);
}

/** The last kind that matches a scope counts. */
const SCOPES: [kind: TokenKind, scopes: string[]][] = [
  ["comment", ["comment"]],
  ["string", ["string"]],
  ["keyword", ["keyword", "storage"]],
  ["name", ["entity.name.function", "support.function", "entity.name.command", "meta.object-literal.key"]],
  ["constant", ["constant", "variable.other.normal.shell", "punctuation.definition.variable.shell"]],
  ["plain", ["keyword.operator", "string.unquoted", "meta.template.expression", "meta.interpolation"]],
];

const KINDS = SCOPES.map(([kind]) => kind);
const colorOf = (index: number): string => `#00000${index}`;

/** Its colors encode token kinds: our CSP forbids inline styles, so CSS classes set the real colors. */
const THEME = {
  name: "kinds",
  type: "light" as const,
  fg: "#ffffff",
  bg: "#ffffff",
  settings: [
    { settings: { foreground: "#ffffff" } },
    ...SCOPES.map(([, scope], index) => ({ scope, settings: { foreground: colorOf(index) } })),
  ],
};

const kindOf = (color: string | undefined): TokenKind =>
  KINDS[KINDS.findIndex((_, index) => colorOf(index) === color)] ?? "plain";
