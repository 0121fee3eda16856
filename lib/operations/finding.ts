/** One thing about a deployment that was looked at, in words for its operator. No word of it is a secret. */
export type Finding = {
  name: FindingName;
  state: "passed" | "warning" | "failed";
  words: string;
  /** What to do about it. */
  advice?: string;
};

export type FindingName =
  | "variables"
  | "database"
  | "schema"
  | "connections"
  | "pooler"
  | "database clock"
  | "limiter"
  | "platform"
  | "platform clock"
  | "address"
  | "server"
  | "webhook"
  | "tokens"
  | "sweeper";

export function passed(name: FindingName, words: string): Finding {
  return { name, state: "passed", words };
}

export function warned(name: FindingName, words: string, advice: string): Finding {
  return {
    name,
    state: "warning",
    words,
    advice,
  };
}

export function failed(name: FindingName, words: string, advice: string): Finding {
  return {
    name,
    state: "failed",
    words,
    advice,
  };
}
