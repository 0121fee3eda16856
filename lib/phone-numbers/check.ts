import type { GraphFailure } from "@/lib/whatsapp/graph-failure";

/** One thing that was looked at, in words for an owner. `platform` is what the platform said, to the letter. */
export type Check = {
  name: CheckName;
  state: "passed" | "warning" | "failed";
  words: string;
  /** What to do about it. */
  advice?: string;
  platform?: string;
};

export type CheckName =
  | "token"
  | "expiry"
  | "scopes"
  | "account"
  | "numbers"
  | "number"
  | "subscription"
  | "callback"
  | "reachability";

export const passed = (name: CheckName, words: string): Check => ({ name, state: "passed", words });

/** What did not pass because of what the platform answered, or because it did not. */
export const failedAtPlatform = (
  name: CheckName,
  failure: GraphFailure,
  { words, advice }: { words: string; advice: string },
): Check => ({ name, state: "failed", words, advice, platform: failure.reason });

/** The words of a check as one sentence of an error message. */
export const toldAsText = ({ words, platform, advice }: Check): string =>
  [words, platform && `The platform said: ${platform}`, advice]
    .filter((part) => part !== undefined)
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(" ");
