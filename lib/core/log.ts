import { env } from "./env";

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

export type LogLevel = Exclude<keyof typeof LEVELS, "silent">;

/** Writes one JSON line. Fields are ids, codes and durations: never a body, a secret or a full phone number. */
export function log(level: LogLevel, event: string, fields: Record<string, unknown> = {}): void {
  if (LEVELS[level] >= LEVELS[env().LOG_LEVEL]) write(level, event, fields);
}

/** Writes a line whatever LOG_LEVEL is: what the operator must read and finds nowhere else. */
export function announce(event: string, fields: Record<string, unknown>): void {
  write("warn", event, fields);
}

const write = (level: LogLevel, event: string, fields: Record<string, unknown>): void => {
  const line = `${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`;
  try {
    process.stdout.write(line);
  } catch {
    // To a file it is written at once, and a full disk throws: the request that the line is about goes on.
  }
};

/** What an unexpected error may leave in the log: the kind, the text and the place of its first cause. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error).slice(0, 200) };
  // What wraps a database's error quotes the query with its values: an e-mail address, or a message.
  if (error.cause instanceof Error) return errorFields(error.cause);
  // A database driver's message may quote the row; its code says enough.
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    error: error.name,
    code,
    message: code || FAILED_QUERY.test(error.message) ? undefined : error.message.slice(0, 300),
    stack: error.stack?.split("\n").filter(isFrame).slice(0, 3),
  };
}

/** Drizzle's text holds the statement with every value. */
const FAILED_QUERY = /^Failed query/;

/** The lines before the first are the message, which may have several. */
const isFrame = (line: string) => /^\s+at /.test(line);
