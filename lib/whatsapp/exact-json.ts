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
const quoteBigIntegers = (json: string): string => {
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
};

/** Returns the index of the closing quote of the string that opens at `start`. */
const endOfString = (json: string, start: number): number => {
  let at = start + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === "\\" ? 2 : 1;
  return at;
};

const numberAt = (json: string, start: number): string => {
  NUMBER.lastIndex = start;
  return NUMBER.exec(json)?.[0] ?? json.charAt(start);
};
