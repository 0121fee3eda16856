/** The result of one check, for the person who can fix it. Contains no secrets. */
export type Finding = {
  name: string;
  state: "passed" | "warning" | "failed";
  words: string;
  /** What to do about it. */
  advice?: string;
};

export function passed(name: string, words: string): Finding {
  return { name, state: "passed", words };
}

export function warned(name: string, words: string, advice: string): Finding {
  return { name, state: "warning", words, advice };
}

export function failed(name: string, words: string, advice: string): Finding {
  return { name, state: "failed", words, advice };
}
