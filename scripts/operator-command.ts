import { closePools } from "@/db/client";
import { isSchemaCurrent, OLD_SCHEMA } from "@/db/migrations-state";
import { onSql } from "@/db/raw-sql";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import { findWorkspaceId } from "@/lib/workspaces/queries";
import { type Arguments, type CommandLine, required, run } from "./command-line";
import { adoptRunningDemo } from "./running-demo";

/** An operator's command on the environment's database, which prints one JSON document. */
export function runCommand(
  line: CommandLine,
  work: (given: Arguments) => Promise<{ answer: unknown; isDone?: boolean }>,
): Promise<void> {
  return run(line, (given) =>
    onDeployment(async () => {
      const { answer, isDone = true } = await work(given);
      process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
      return isDone;
    }),
  );
}

/** Works on the environment's database, which must have the schema of this program. */
export async function onDeployment(work: () => Promise<boolean>): Promise<boolean> {
  try {
    adoptRunningDemo();
    if (!(await onSql((sql) => isSchemaCurrent(sql)))) throw new Error(OLD_SCHEMA);
    return await work();
  } finally {
    await closePools();
  }
}

/** The workspace behind `--workspace`: its ref in the provisioning file, or its id. */
export async function workspaceOf({ option }: Arguments): Promise<WorkspaceId> {
  const named = required(option("workspace"), "--workspace REF");
  const id = await findWorkspaceId(named);
  if (id) return provenWorkspaceId(id);
  throw new Error(`There is no workspace "${named}". Give its ref of the provisioning file, or its id.`);
}
