import { env } from "@/lib/env";

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

export type LogLevel = Exclude<keyof typeof LEVELS, "silent">;

/** Writes one JSON line. Fields are ids, codes and durations: never a body, a secret or a full phone number. */
export const log = (level: LogLevel, event: string, fields: Record<string, unknown> = {}): void => {
  if (LEVELS[level] < LEVELS[env().LOG_LEVEL]) return;
  process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`);
};

/** What an unexpected error may leave in the log: the kind, the text and the place of what lies at its root. */
export const errorFields = (error: unknown): Record<string, unknown> => {
  const origin = rootOf(error);
  if (!(origin instanceof Error)) return { error: String(origin).slice(0, 200) };
  // A database driver's message may quote the row; its code says enough.
  const code = "code" in origin && typeof origin.code === "string" ? origin.code : undefined;
  return {
    error: origin.name,
    code,
    message: code || FAILED_QUERY.test(origin.message) ? undefined : origin.message.slice(0, 300),
    // A text of several lines stands in the stack, too.
    stack: origin.stack
      ?.split("\n")
      .filter((line) => /^ {4}at /.test(line))
      .slice(0, 3),
  };
};

/** Drizzle wraps what the driver threw, and its text holds the statement with every value. */
const FAILED_QUERY = /^Failed query/;

const rootOf = (error: unknown): unknown => {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
};
