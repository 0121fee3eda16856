import type { Spotter } from "./proxy";

const PARSE = "P".charCodeAt(0);
const BIND = "B".charCodeAt(0);

/**
 * Finds the moment when a client runs a statement whose text matches. Statements are prepared once and then run by name,
 * so the names of those that match are remembered for the connection.
 */
export const spotStatement = (text: RegExp) => (): Spotter => {
  const names = new Set<string>();
  let rest = Buffer.alloc(0);
  let isStarted = false;

  return (chunk) => {
    let isFound = false;
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The very first message has no type byte.
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return isFound;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return isFound;
      const [type, body] = [isStarted ? rest[0] : 0, rest.subarray(head + 4, end)];
      isStarted = true;
      rest = rest.subarray(end);
      if (type === PARSE) {
        const [name = "", sql = ""] = readTexts(body);
        names.delete(name);
        if (text.test(sql)) names.add(name);
      }
      if (type === BIND && names.has(readTexts(body)[1] ?? "")) isFound = true;
    }
  };
};

const readTexts = (body: Buffer): string[] => body.toString("latin1").split("\0", 2);
