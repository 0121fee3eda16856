import { type Issue, invalid, invalidAt, MAX_ISSUES } from "@/lib/core/app-error";
import { cutText } from "@/lib/core/text";

const MAX_DEPTH = 32;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Parses JSON from UTF-8 bytes, with or without a byte order mark. Throws VALIDATION_ERROR like `parseJson`. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw invalidAt("", "The body is not UTF-8. Send JSON encoded in UTF-8.");
  }
  if (text.trim() === "") throw invalidAt("", "The body is empty. Send a JSON object.");
  return parseJson(text, "");
}

/**
 * Parses JSON and rejects what would be lost or misread later: repeated keys, `__proto__`, nesting beyond 32, NUL
 * and lone surrogates, numbers that JavaScript cannot represent. Throws VALIDATION_ERROR; paths start with `root`.
 */
export function parseJson(text: string, root: string): unknown {
  const value = parse(text, root);
  const issues = findFaults(text, root);
  if (issues.length > 0) throw invalid(issues);
  return value;
}

function parse(text: string, root: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const at = brokenAt(text);
    const before = text.slice(0, at).split("\n");
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    const why = WHY.find(([isSo]) => isSo(text.slice(at), before.join("\n").trimEnd()))?.[1] ?? "";
    throw invalidAt(root, `This is not valid JSON: it breaks at ${where}.${why}`);
  }
}

/** What people write in place of JSON, by the text from where it breaks and the text before; the first that applies. */
const WHY: readonly (readonly [isSo: (rest: string, before: string) => boolean, why: string])[] = [
  [(rest) => rest === "", " It ends too early."],
  [(rest) => /^['\u2018-\u201f]/.test(rest), ' Put names and texts in straight double quotes: "type".'],
  [
    (rest) => /^"[^"\\]*(\\.[^"\\]*)*[\n\r]/.test(rest),
    " Write a line break within a text as \\n, and end the text with a quote.",
  ],
  [(rest, before) => /^[}\]]/.test(rest) && before.endsWith(","), " Remove the comma before it."],
  [(rest, before) => /^[\w$]/.test(rest) && /[{,]$/.test(before), ' Put names in double quotes: "type".'],
  [(rest) => /^(True|False|None|undefined|NaN)\b/.test(rest), " JSON has true, false and null."],
  [(rest, before) => /^["{[\d]/.test(rest) && /["}\]\w]$/.test(before), " A comma is missing before it."],
];

type Level = { kind: "object"; keys: Set<string>; key: string | undefined } | { kind: "array"; index: number };

/** Walks the tokens of valid JSON without recursion; every fault with its path, up to the first that is too deep. */
function findFaults(text: string, root: string): Issue[] {
  const issues: Issue[] = [];
  const levels: Level[] = [];
  const fault = (message: string) => issues.push({ path: pathOf(levels, root), message });

  for (const [, token = ""] of text.matchAll(TOKEN)) {
    if (issues.length >= MAX_ISSUES) return issues;
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push(token === "{" ? { kind: "object", keys: new Set(), key: undefined } : { kind: "array", index: 0 });
      if (levels.length > MAX_DEPTH) {
        issues.push({ path: root, message: `The JSON is nested deeper than ${MAX_DEPTH} levels. Flatten it.` });
        return issues;
      }
    } else if (token === "}" || token === "]") {
      levels.pop();
    } else if (token === ",") {
      if (level?.kind === "array") level.index += 1;
      else if (level) level.key = undefined;
    } else if (token.startsWith('"')) {
      const string: string = token.includes("\\") ? JSON.parse(token) : token.slice(1, -1);
      if (level?.kind === "object" && level.key === undefined) {
        level.key = string;
        if (level.keys.has(string)) fault("is given twice in one object. Send each key once.");
        if (string === "__proto__") fault("is a reserved name. Remove it.");
        level.keys.add(string);
      }
      if (string.includes("\0")) fault("contains a NUL character (\\u0000). Remove it.");
      if (!string.isWellFormed()) fault("contains half of a surrogate pair. Send whole characters.");
    } else if (/^[-\d]/.test(token) && !isExact(token)) {
      fault(`is a number that cannot be held exactly (${token.slice(0, 30)}). Send it as a string.`);
    }
  }
  return issues;
}

function isExact(token: string) {
  const number = Number(token);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** `a.b[0]`, as the caller would write it. */
function pathOf(levels: readonly Level[], root: string): string {
  let path = root;
  for (const level of levels) {
    if (level.kind === "array") path += `[${level.index}]`;
    else if (level.key !== undefined) path += `${path === "" ? "" : "."}${printable(level.key)}`;
  }
  return path;
}

const printable = (key: string) => JSON.stringify(cutText(key, 60).toWellFormed()).slice(1, -1);

/**
 * A token with the space before it. Strings contain any character from U+0020 except `"` and `\`. In invalid JSON,
 * matching stops at the first invalid token.
 */
export const TOKEN =
  /[ \t\n\r]*("[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uFFFF]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|[{}[\],:])/gy;

type Expected = "value" | "item" | "first item" | "key" | "first key" | "colon" | "comma" | "end";

/** Returns the offset of the first invalid JSON token, which V8 often does not report. */
export function brokenAt(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected | undefined = "value";
  let end = 0;
  for (const { 0: match, 1: token = "", index } of text.matchAll(TOKEN)) {
    expected = next(expected, token, open);
    end = index + match.length;
    if (expected === undefined) return end - token.length;
  }
  return end + text.slice(end).search(/[^ \t\n\r]|$/);
}

/** Returns what may follow a token; undefined if the token is not allowed here. */
function next(expected: Expected, token: string, open: ("{" | "[")[]): Expected | undefined {
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
}
