/** What no log may hold, and what it is: a finding names the kind and never the word. */
export type SecretWord = { kind: string; word: string };
export type Finding = { kind: string; line: number };

/** Shorter forms would be found where they mean nothing. */
const PREFIX_CHARACTERS = 7;
/** Any API secret, also one that was not noted or that a test made up. */
const API_SECRET = /sk_(?:live|test)_[A-Za-z0-9]{20,}/;

/** The words that a text holds, as they are or encoded. */
export const found = (text: string, words: readonly string[]): string[] => {
  const held = new Set(places(text, indexOf(words)).map(({ word }) => word));
  return words.filter((word) => held.has(word));
};

/** Finds where a log holds what no log may hold. */
export const logScan = (secrets: readonly SecretWord[]): ((log: string) => Finding[]) => {
  const kinds = new Map(secrets.map(({ kind, word }) => [word, kind]));
  const index = indexOf([...kinds.keys()]);
  return (log) =>
    log.split("\n").flatMap((line, at) => {
      const held = new Set(places(line, index).map(({ word }) => kinds.get(word) ?? ""));
      if (API_SECRET.test(line)) held.add("an API secret");
      return [...held].map((kind) => ({ kind, line: at + 1 }));
    });
};

type Form = { word: string; form: string };

/** By their first characters, so that one pass over a text looks for thousands of words. */
const indexOf = (words: readonly string[]): Map<string, Form[]> => {
  const index = new Map<string, Form[]>();
  for (const word of new Set(words)) {
    for (const form of new Set(formsOf(word))) {
      if (form.length < PREFIX_CHARACTERS) continue;
      const prefix = form.slice(0, PREFIX_CHARACTERS);
      const known = index.get(prefix);
      if (known) known.push({ word, form });
      else index.set(prefix, [{ word, form }]);
    }
  }
  return index;
};

const places = (text: string, index: ReadonlyMap<string, Form[]>): Form[] => {
  const held: Form[] = [];
  for (let at = 0; at + PREFIX_CHARACTERS <= text.length; at++) {
    for (const form of index.get(text.slice(at, at + PREFIX_CHARACTERS)) ?? []) {
      if (text.startsWith(form.form, at)) held.push(form);
    }
  }
  return held;
};

/** In plain, in JSON, in a URL, in hexadecimal, and in base 64 from any of its three places. */
const formsOf = (word: string): string[] => {
  const json = JSON.stringify(word).slice(1, -1);
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(`${"\0".repeat(shift)}${word}`).toString("base64");
    // What stands at the ends depends on the neighbours.
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
  return [word, json, encodeURIComponent(word), Buffer.from(word).toString("hex"), ...base64];
};
