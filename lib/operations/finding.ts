/** The result of one check of a deployment, for its operator. Contains no secrets. */
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
  | "restore guard"
  | "connections"
  | "pooler"
  | "database clock"
  | "replica"
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
  return { name, state: "warning", words, advice };
}

export function failed(name: FindingName, words: string, advice: string): Finding {
  return { name, state: "failed", words, advice };
}
