import { readFileSync } from "node:fs";
import { type Message, Switchboard, SwitchboardError } from "@/lib/docs/client";
import { whyUnreachable } from "@/lib/network/unreachable";
import { type Arguments, type CommandLine, run, UsageError } from "./command-line";
import { readDemo } from "./running-demo";

const CALL_TIMEOUT_MS = 30_000;

export const CREDENTIALS = `The key is read from CHAT_API_KEY and CHAT_API_SECRET, the gateway's address from CHAT_API_URL (http://localhost:3000 unless
set). Where none of them is set, the running demo's are taken.
`;

/** A partner's command: it knows no more of the gateway than a key and the address, and speaks through our own client. */
export const runApiCommand = (
  line: CommandLine,
  work: (client: Switchboard, given: Arguments) => Promise<void>,
): Promise<void> =>
  run(line, async (given) => {
    const { origin, ...key } = readCredentials();
    try {
      await work(new Switchboard({ ...key, origin }), given);
      return true;
    } catch (error) {
      throw toldRefusal(error, origin);
    }
  });

const readCredentials = (): { apiKey: string; apiSecret: string; origin: string } => {
  const { CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, CHAT_API_URL: url } = process.env;
  if (apiKey && apiSecret) return { apiKey, apiSecret, origin: originOf(url || "http://localhost:3000") };
  const demo = apiKey || apiSecret || url ? undefined : readDemo();
  if (demo) return { apiKey: demo.apiKey, apiSecret: demo.apiSecret, origin: demo.baseUrl };
  throw new UsageError(`${apiKey ? "CHAT_API_SECRET" : "CHAT_API_KEY"} is missing in the environment.`);
};

const originOf = (url: string): string => {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return new URL(url).origin;
  throw new UsageError("CHAT_API_URL must be the gateway's address, such as https://messages.example.com.");
};

const toldRefusal = (error: unknown, origin: string): unknown => {
  if (error instanceof SwitchboardError) {
    const { code, status, message, details } = error;
    return new Error(`${code} (${status}): ${message}\nRequest ${details.requestId ?? "without an id"}`);
  }
  const isCall = error instanceof Error && (error.name === "TimeoutError" || error.message === "fetch failed");
  return isCall ? new Error(`${origin}: ${whyUnreachable(error, CALL_TIMEOUT_MS)}`) : error;
};

/** Prints a message as it stands, and then each new status until the last one or the end of the client's schedule. */
export const watchMessage = async (client: Switchboard, first: Message): Promise<void> => {
  printLine(first);
  let printed = first.status;
  if (printed === "READ" || printed === "FAILED") return;
  const last = await client.waitFor(first.id, {
    until: "READ",
    onMessage: (message) => {
      if (message.status !== printed) printLine(message);
      printed = message.status;
    },
  });
  if (last.status !== "READ" && last.status !== "FAILED") process.stderr.write(`It is still ${last.status}.\n`);
};

const printLine = (message: Message) => void process.stdout.write(`${JSON.stringify(message)}\n`);

export const printDocument = (answer: unknown): void =>
  void process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);

/** The bytes of a file; `-` is standard input. */
export const readInput = (file: string): Buffer => {
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : error;
    throw new UsageError(`${file} cannot be read (${reason}).`);
  }
};
