import { env } from "@/lib/env";

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

export type LogLevel = Exclude<keyof typeof LEVELS, "silent">;

/** Writes one JSON line. Fields are ids, codes and durations: never a body, a secret or a full phone number. */
export const log = (level: LogLevel, event: string, fields: Record<string, unknown> = {}): void => {
  if (LEVELS[level] < LEVELS[env().LOG_LEVEL]) return;
  process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`);
};

/** What an unexpected error may leave in the log: its kind, its text and where it was thrown. */
export const errorFields = (error: unknown): Record<string, unknown> => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const origin = cause ?? error;
  if (!(origin instanceof Error)) return { error: String(origin).slice(0, 200) };
  // A database driver's message may quote the row; its code says enough.
  const code = "code" in origin && typeof origin.code === "string" ? origin.code : undefined;
  return {
    error: origin.name,
    code,
    message: code ? undefined : origin.message.slice(0, 300),
    stack: origin.stack?.split("\n").slice(1, 4),
  };
};

const MAX_PATH_CHARACTERS = 200;

/** The path of a request for a log: a caller may put a secret or a number where an id belongs. */
export const pathForLog = (url: string): string =>
  new URL(url).pathname
    .slice(0, MAX_PATH_CHARACTERS)
    .replace(/sk_(live|test)_[^/]*/gi, "sk_$1_…")
    .replace(/(?<=\/)(\+|%2B)?\d{7,}(?=\/|$)/gi, "…");
