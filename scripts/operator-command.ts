import { closest } from "fastest-levenshtein";
import { closePools } from "@/db/client";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { onSql } from "@/db/raw-sql";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { findWorkspaceId } from "@/lib/workspaces/queries";
import {
  type Arguments,
  type CommandLine,
  noMore,
  required,
  runCommandLine,
  UsageError,
} from "../clients/typescript/src/cli/command-line";
import { sentenceOf } from "./failure";
import { adoptRunningDemo } from "./running-demo";

/** `args`: the words after the command's name. `words`: how many of them are no options, none by default. */
type Line = CommandLine & { args: readonly string[]; words?: number };

/** Runs a command; database errors are reported with a fix, an unknown option with the nearest one. */
export function run({ words = 0, ...line }: Line, work: (given: Arguments) => Promise<boolean>): Promise<void> {
  const { options = [], flags = [] } = line;
  function describe(error: unknown): string {
    const sentence = sentenceOf(error);
    const unknown = error instanceof UsageError && /^Unknown option '(--[^']+)'/.exec(sentence)?.[1];
    if (!unknown) return sentence;
    return `Unknown option ${unknown}. Did you mean ${closest(
      unknown,
      [...options, ...flags, "help"].map((name) => `--${name}`),
    )}?`;
  }
  return runCommandLine(
    line,
    (given) => {
      noMore(given.positionals.slice(words));
      return work(given);
    },
    describe,
  );
}

/** Runs a command on the environment's database and prints its result as JSON. */
export function runCommand(
  { anySchema = false, ...line }: Line & { anySchema?: boolean },
  work: (given: Arguments) => Promise<{ answer: unknown; isDone?: boolean }>,
): Promise<void> {
  return run(line, (given) =>
    onDeployment(async () => {
      const { answer, isDone = true } = await work(given);
      process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
      return isDone;
    }, anySchema),
  );
}

/** Runs `work` on the environment's database, whose schema must be current unless `anySchema`. */
export async function onDeployment(work: () => Promise<boolean>, anySchema = false): Promise<boolean> {
  try {
    adoptRunningDemo();
    if (!anySchema && !(await onSql((sql) => isSchemaCurrent(sql)))) throw new Error(OLD_SCHEMA);
    return await work();
  } finally {
    await closePools();
  }
}

/** Returns the workspace of `--workspace`, by its ref in the provisioning file or its id. */
export async function workspaceOf({ option }: Arguments): Promise<WorkspaceId> {
  const named = required(option("workspace"), "--workspace REF");
  const id = await findWorkspaceId(named);
  if (id) return provenWorkspaceId(id);
  throw new Error(`There is no workspace "${named}". Give its ref of the provisioning file, or its id.`);
}

/** Returns `given` if it is one of `names`; `what` says what it is in the error. */
export function oneOf<T extends string>(names: readonly T[], given: string | undefined, what: string): T {
  const name = names.find((one) => one === given);
  if (name !== undefined) return name;
  throw new UsageError(`${what} must be one of ${names.join(", ")}${given ? `, not "${given}"` : ""}.`);
}
