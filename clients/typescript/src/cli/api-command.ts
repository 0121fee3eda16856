import { ApiError, type Message, NoResponseError, Switchboard } from "../switchboard.js";
import { type Arguments, type CommandLine, runCommandLine, UsageError } from "./command-line.js";
import { printLine } from "./documents.js";

export type Credentials = { apiKey: string; apiSecret: string; origin: string };

/** How a command was started, and a key to take where the environment names neither a key nor a gateway. */
export type Shell = {
  program: string;
  /** The gateway to call where the environment names none. */
  origin: string;
  fallback?: () => Credentials | undefined;
  fallbackText?: string;
};

export const DEFAULT_ORIGIN = "http://localhost:3000";

/** The part of a usage that says where the key comes from. */
export const credentialsText = ({ origin, fallbackText = "" }: Shell): string =>
  `The key is read from CHAT_API_KEY and CHAT_API_SECRET, the gateway's address from CHAT_API_URL (${origin} unless
set). ${fallbackText}`.trimEnd();

/** Runs a command that calls the API with the key of the environment. It has failed where `work` returns false. */
export const runApiCommand = (
  shell: Shell,
  line: CommandLine,
  work: (client: Switchboard, given: Arguments, credentials: Credentials) => Promise<boolean>,
): Promise<void> =>
  runCommandLine(line, async (given) => {
    const credentials = readCredentials(shell);
    try {
      return await work(new Switchboard(credentials), given, credentials);
    } catch (error) {
      throw explained(error, credentials.origin);
    }
  });

const readCredentials = ({ origin, fallback }: Shell): Credentials => {
  const { CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, CHAT_API_URL: url } = process.env;
  if (apiKey && apiSecret) return { apiKey, apiSecret, origin: originOf(url || origin) };
  const found = apiKey || apiSecret || url ? undefined : fallback?.();
  if (found) return found;
  throw new UsageError(`${apiKey ? "CHAT_API_SECRET" : "CHAT_API_KEY"} is required in the environment.`);
};

/** Throws UsageError with a live key; `why` says what needs a test key. */
export const requireTestKey = ({ apiKey }: Credentials, why: string): void => {
  if (!apiKey.startsWith("pk_test_")) throw new UsageError(`CHAT_API_KEY must be a test key (pk_test_…): ${why}.`);
};

const originOf = (url: string): string => {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return new URL(url).origin;
  throw new UsageError("CHAT_API_URL must be the gateway's address, such as https://messages.example.com.");
};

/** The failure in words for a terminal; a send that may have arrived names its key, for a repeat. */
const explained = (error: unknown, origin: string): unknown => {
  if (error instanceof ApiError) {
    const { code, status, message, details } = error;
    return new Error(`${code} (${status}): ${message}\nRequest ${details.requestId}`);
  }
  if (!(error instanceof NoResponseError)) return error;
  const what =
    error.status === undefined ? `${origin}: it could not be reached (${reasonOf(error.cause)})` : error.message;
  const key = error.idempotencyKey;
  if (key === undefined) return new Error(what);
  const isSent =
    error.outcome === "not_sent" ? "It was not sent." : `It may have been sent. Repeat it with --key ${key}`;
  return new Error(`${what}\n${isSent}`);
};

/** The system's code of what broke the connection, or its class. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown";
  if (cause.cause instanceof Error) return reasonOf(cause.cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
};

/**
 * Prints a message, and then each new status until READ or FAILED or the end of the client's schedule. Returns false where
 * the message failed.
 */
export const watchMessage = async (client: Switchboard, first: Message): Promise<boolean> => {
  printLine(first);
  let printed = first.status;
  if (isFinal(printed)) return printed !== "FAILED";
  const last = await client.waitFor(first.id, {
    until: "READ",
    onMessage: (message) => {
      if (message.status !== printed) printLine(message);
      printed = message.status;
    },
  });
  if (!isFinal(last.status)) process.stderr.write(`It is still ${last.status}.\n`);
  return last.status !== "FAILED";
};

const isFinal = (status: Message["status"]): boolean => status === "READ" || status === "FAILED";
