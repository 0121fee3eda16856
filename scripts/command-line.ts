import { type ParseArgsConfig, parseArgs } from "node:util";
import { sentenceOf } from "./failure";

/** The command line is at fault: what it says is shown above the usage. */
export class UsageError extends Error {}

export type CommandLine = {
  usage: string;
  /** Names that take a value, once. */
  options?: readonly string[];
  /** Names that take a value, as often as they are given. */
  lists?: readonly string[];
  flags?: readonly string[];
  /** What was typed, where it is not what the process was given. */
  args?: readonly string[];
};

export type Arguments = {
  positionals: string[];
  option: (name: string) => string | undefined;
  list: (name: string) => string[];
  flag: (name: string) => boolean;
};

/**
 * Answers go to standard output, everything else to standard error. Ends with 0 when it is done, with 1 where it failed
 * or `work` says that something is left to be done, and with 2 where the command line is wrong.
 */
export const run = async (line: CommandLine, work: (given: Arguments) => Promise<boolean>): Promise<void> => {
  try {
    const given = readArguments(line);
    if (given === "help") return void process.stderr.write(line.usage);
    process.exitCode = (await work(given)) ? 0 : 1;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${sentenceOf(error)}\n${isUsage ? `\n${line.usage}` : ""}`);
    process.exitCode = isUsage ? 2 : 1;
  }
};

export const required = (value: string | undefined, what: string): string => {
  if (value?.trim()) return value.trim();
  throw new UsageError(`${what} is missing.`);
};

export const noMore = (surplus: readonly string[]): void => {
  if (surplus.length > 0) throw new UsageError(`"${surplus[0]}" is not understood.`);
};

const readArguments = ({ options = [], lists = [], flags = [], args }: CommandLine): Arguments | "help" => {
  const config = {
    allowPositionals: true,
    ...(args && { args }),
    options: {
      help: { type: "boolean" },
      ...Object.fromEntries(options.map((name) => [name, { type: "string" as const }])),
      ...Object.fromEntries(lists.map((name) => [name, { type: "string" as const, multiple: true }])),
      ...Object.fromEntries(flags.map((name) => [name, { type: "boolean" as const }])),
    },
  } satisfies ParseArgsConfig;
  try {
    const { positionals, values } = parseArgs(config);
    const read: Record<string, unknown> = values;
    if (read.help) return "help";
    return {
      positionals,
      option: (name) => (typeof read[name] === "string" ? read[name] : undefined),
      list: (name) => {
        const given = read[name];
        return Array.isArray(given) ? given.map(String) : [];
      },
      flag: (name) => read[name] === true,
    };
  } catch (error) {
    throw new UsageError(sentenceOf(error));
  }
};
