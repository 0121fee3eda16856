import { closePools } from "@/db/client";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { onSql } from "@/db/raw-sql";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { findWorkspaceId } from "@/lib/workspaces/queries";
import { type Arguments, type CommandLine, required, run } from "./command-line";
import { adoptRunningDemo } from "./running-demo";

/** Runs an operator's command on the environment's database and prints its result as JSON. */
export function runCommand(
  { anySchema = false, ...line }: CommandLine & { anySchema?: boolean },
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
