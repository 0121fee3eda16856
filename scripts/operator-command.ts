import { type ParseArgsConfig, parseArgs } from "node:util";
import { closePools, onDatabase } from "@/db/client";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { findWorkspaceId } from "@/lib/workspaces/queries";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/workspaces/workspace-id";
import { sentenceOf } from "./failure";
import { adoptRunningDemo } from "./running-demo";

/** The command line is at fault: what it says is shown above the usage. */
export class UsageError extends Error {}

export type Arguments = { positionals: string[]; option: (name: string) => string | undefined };

/**
 * An operator's command on the environment's database: one JSON document on standard output, everything else on standard
 * error. Ends with 2 where the command line is wrong and with 1 where the work failed or left something to be done.
 */
export const runCommand = async (
  { usage, options }: { usage: string; options: readonly string[] },
  work: (given: Arguments) => Promise<{ answer: unknown; isDone?: boolean }>,
): Promise<void> => {
  try {
    const given = readArguments(options);
    if (given === "help") return void process.stderr.write(usage);
    adoptRunningDemo();
    if (!(await onDatabase(({ $client }) => isSchemaCurrent($client)))) throw new Error(OLD_SCHEMA);
    const { answer, isDone = true } = await work(given);
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    process.exitCode = isDone ? 0 : 1;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(`${sentenceOf(error)}\n${isUsage ? `\n${usage}` : ""}`);
    process.exitCode = isUsage ? 2 : 1;
  } finally {
    await closePools();
  }
};

/** The workspace behind `--workspace`: its ref in the provisioning file, or its id. */
export const workspaceOf = async ({ option }: Arguments): Promise<WorkspaceId> => {
  const named = required(option("workspace"), "--workspace REF");
  const id = await findWorkspaceId(named);
  if (id) return provenWorkspaceId(id);
  throw new Error(`There is no workspace "${named}". Give its ref of the provisioning file, or its id.`);
};

export const required = (value: string | undefined, what: string): string => {
  if (value?.trim()) return value.trim();
  throw new UsageError(`${what} is missing.`);
};

const readArguments = (options: readonly string[]): Arguments | "help" => {
  const config = {
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      ...Object.fromEntries(options.map((name) => [name, { type: "string" as const }])),
    },
  } satisfies ParseArgsConfig;
  try {
    const { positionals, values } = parseArgs(config);
    const read: Record<string, unknown> = values;
    if (read.help) return "help";
    return {
      positionals,
      option: (name) => (typeof read[name] === "string" ? read[name] : undefined),
    };
  } catch (error) {
    throw new UsageError(sentenceOf(error));
  }
};
