/** Whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

/** Of valid JSON what matters here: strings, brackets, and numbers, which begin nowhere else. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{\]}]|-?\d[\d.eE+-]*/g;
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

const quoteBigIntegers = (json: string): string => {
  let depth = 0;
  return json.replace(TOKEN, (token) => {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth > MAX_DEPTH) throw new RangeError(`The JSON is nested deeper than ${MAX_DEPTH} levels.`);
    return INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
  });
};
