import { type ParseArgsConfig, parseArgs } from "node:util";

/** The command line is at fault: its message is shown above the usage. */
export class UsageError extends Error {}

export type CommandLine = {
  usage: string;
  /** Names that take a value, once. */
  options?: readonly string[];
  /** Names that take a value, as often as they are given. */
  lists?: readonly string[];
  flags?: readonly string[];
  /** The words after the command's name; by default those of the process. */
  args?: readonly string[];
};

export type Arguments = {
  positionals: string[];
  option: (name: string) => string | undefined;
  list: (name: string) => string[];
  flag: (name: string) => boolean;
};

export type Command = (args: string[]) => Promise<void>;

/** Runs the command that the first word names. Without a known one the usage is an error, with exit code 2. */
export const runNamed = async (commands: Record<string, Command>, usage: string, words: string[]): Promise<void> => {
  const [name = "", ...rest] = words;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command(rest);
  if (name === "--help") return void process.stdout.write(usage);
  const [meant] = Object.keys(commands).filter((known) => editsBetween(name, known) <= MOST_EDITS);
  const unknown = `Unknown command: ${name}.${meant ? ` Did you mean ${meant}?` : ""}\n\n`;
  process.stderr.write(`${name ? unknown : ""}${usage}`);
  process.exitCode = 2;
};

/** No two commands are that alike. */
const MOST_EDITS = 2;

/** How many characters to add, leave out or change (Levenshtein). */
const editsBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, against] of [...other].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, above + 1, corner + (letter === against ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/**
 * Runs `work`. Results and help go to standard output, everything else to standard error. Exits with 0 when it is done, with 1
 * where it failed or `work` returns false, and with 2 where the command line is wrong.
 */
export const runCommandLine = async (
  line: CommandLine,
  work: (given: Arguments) => Promise<boolean>,
  describe: (error: unknown) => string = messageOf,
): Promise<void> => {
  endWithReader();
  try {
    const given = readArguments(line);
    if (given === "help") return void process.stdout.write(line.usage);
    process.exitCode = (await work(given)) ? 0 : 1;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${describe(error)}\n${isUsage ? `\n${line.usage}` : ""}`);
    process.exitCode = isUsage ? 2 : 1;
  }
};

/** A reader that has seen enough, such as `head`, ends the command as Ctrl+C would. */
const endWithReader = (): void => {
  let isClosed = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!isClosed) process.kill(process.pid, "SIGINT");
    isClosed = true;
  });
};

export const required = (value: string | undefined, what: string): string => {
  if (value?.trim()) return value.trim();
  throw new UsageError(`${what} is required.`);
};

export const noMore = (surplus: readonly string[]): void => {
  if (surplus.length > 0) throw new UsageError(`Unexpected argument "${surplus[0]}".`);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const readArguments = ({ options = [], lists = [], flags = [], args }: CommandLine): Arguments | "help" => {
  const config = {
    allowPositionals: true,
    ...(args && { args: [...args] }),
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
    throw new UsageError(messageOf(error));
  }
};
