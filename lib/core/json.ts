/** Whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value where it is a JSON object, else one without fields. */
export function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The value where it is an array, else an empty one. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value where it is a string, else an empty one. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Parses JSON; undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Serializes JSON with sorted keys, omitting undefined values. Callers must bound the depth. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

/** Deeper than any JSON from WhatsApp, and shallow enough for recursive parsers. */
const MAX_DEPTH = 64;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON without losing precision: an integer beyond 2^53 becomes a string of its digits, because WhatsApp
 * writes ids as numbers. Undefined for what is not JSON, or nested deeper than 64 levels.
 */
export function readExactJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const exact = quoteBigIntegers(text);
    return exact === text ? value : JSON.parse(exact);
  } catch {
    return undefined;
  }
}

/** `json` is valid, so that outside strings a digit or a minus sign always begins a number. */
function quoteBigIntegers(json: string): string {
  let quoted = "";
  let copiedTo = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === '"') {
      at = endOfString(json, at);
    } else if (character === "[" || character === "{") {
      depth++;
      if (depth > MAX_DEPTH) throw new RangeError(`The JSON is nested deeper than ${MAX_DEPTH} levels.`);
    } else if (character === "]" || character === "}") {
      depth--;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      const literal = numberAt(json, at);
      if (INTEGER.test(literal) && !Number.isSafeInteger(Number(literal))) {
        quoted += `${json.slice(copiedTo, at)}"${literal}"`;
        copiedTo = at + literal.length;
      }
      at += literal.length - 1;
    }
  }
  return quoted + json.slice(copiedTo);
}

/** Returns the index of the closing quote of the string that opens at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes is before `at`. */
function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charAt(first - 1) === "\\") first--;
  return (at - first) % 2 === 1;
}

function numberAt(json: string, start: number): string {
  NUMBER.lastIndex = start;
  return NUMBER.exec(json)?.[0] ?? json.charAt(start);
}
