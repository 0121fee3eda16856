import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Transaction } from "@/db/client";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author, Recorder } from "@/lib/workspaces/record-audit";

export type ProvisioningDatabase = PostgresJsDatabase;

/** A run's work on one workspace. The transaction is the run's: any fault is reported and rolls everything back. */
export type Provisioning = {
  tx: Transaction;
  hashPassword: (password: string) => Promise<string>;
  faults: string[];
  workspaceId: WorkspaceId;
  /** Writes an audit row if there is a change. */
  record: Recorder;
};

/** The author in the audit log. */
export const PROVISIONER: Author = { actor: { kind: "provisioner", id: "provision" }, requestId: null };
