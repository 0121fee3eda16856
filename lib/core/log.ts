import { env } from "./env";
import { processWide } from "./process-wide";

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

export type LogLevel = Exclude<keyof typeof LEVELS, "silent">;

/** Writes one JSON line. Fields are ids, codes and durations: never a body, a secret or a full phone number. */
export function log(level: LogLevel, event: string, fields: Record<string, unknown> = {}): void {
  if (LEVELS[level] >= LEVELS[env().LOG_LEVEL]) write(level, event, fields);
}

/** Writes a line at any LOG_LEVEL, for what the operator must read and finds nowhere else. */
export function announce(event: string, fields: Record<string, unknown>): void {
  write("warn", event, fields);
  flush();
}

/** A write for each line would cost a short call a tenth of its CPU. */
const WRITTEN_WITHIN_MS = 20;
/** Kept for a pipe that is full: Node's own queue in front of one has no end. */
const MAX_WAITING_CHARACTERS = 4 * 1_024 * 1_024;

/** Lines that are not written yet, and how many were lost after them. One of each process, so that lines keep their order. */
const waiting = processWide("log", () => {
  process.on("exit", writeWaiting);
  return { text: "", lost: 0, timer: undefined as NodeJS.Timeout | undefined };
});

function write(level: LogLevel, event: string, fields: Record<string, unknown>): void {
  if (waiting.text.length > MAX_WAITING_CHARACTERS) waiting.lost += 1;
  else waiting.text += toLine(level, event, fields);
  // On Vercel nothing outlives the response.
  if (env().VERCEL) flush();
  else waiting.timer ??= setTimeout(flush, WRITTEN_WITHIN_MS).unref();
}

const toLine = (level: LogLevel, event: string, fields: Record<string, unknown>): string =>
  `${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`;

/** Writes what waits, unless the lines before it are still on their way. */
function flush(): void {
  clearTimeout(waiting.timer);
  waiting.timer = undefined;
  if (process.stdout.writableLength === 0) writeWaiting();
  else waiting.timer = setTimeout(flush, WRITTEN_WITHIN_MS).unref();
}

function writeWaiting(): void {
  const { text, lost } = waiting;
  if (text === "") return;
  Object.assign(waiting, { text: "", lost: 0 });
  try {
    process.stdout.write(lost > 0 ? text + toLine("warn", "log.lost", { lines: lost }) : text);
  } catch {
    // File writes are synchronous and throw on a full disk. Logging must not fail a request.
    waiting.lost = lost + text.split("\n").length - 1;
  }
}

/** Returns an error's code, else its class, never its message: messages may quote what was sent. */
export function codeOrClass(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Returns what may be logged of an unexpected error: the type, message and location of its root cause. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error).slice(0, 200) };
  // A wrapped database error quotes the query with its values, such as an email address or a message.
  if (error.cause instanceof Error) return errorFields(error.cause);
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    error: error.name,
    code,
    message: mayQuoteValues(error, code) ? undefined : error.message.slice(0, 300),
    stack: error.stack?.split("\n").filter(isFrame).slice(0, 3),
  };
}

/**
 * A database driver's message may quote the row, and Node's arguments; a code says enough. Not so for the system's errors
 * and missing modules, whose messages name the path or host, and for a database's errors of the connection (class 08): every
 * error of PgBouncer is an 08P01, and only its message says which, such as `query_wait_timeout`.
 */
const mayQuoteValues = (error: Error, code: string | undefined): boolean =>
  FAILED_QUERY.test(error.message) || !(code === undefined || "syscall" in error || OF_NO_VALUES.test(code));

const OF_NO_VALUES = /MODULE_NOT_FOUND$|^08[0-9A-Z]{3}$/;

/** Drizzle's text holds the statement with every value. */
const FAILED_QUERY = /^Failed query/;

/** Excludes the error's message, which may span several lines. */
const isFrame = (line: string) => /^\s+at /.test(line);
