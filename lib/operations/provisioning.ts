import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Transaction } from "@/db/client";
import type * as schema from "@/db/schema";
import type { EncryptionKeys } from "@/lib/core/crypto";
import type { Plan } from "@/lib/core/plans";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import type { Recorder } from "@/lib/workspaces/record-audit";

export type ProvisioningDatabase = PostgresJsDatabase<typeof schema>;

/** What a run needs besides the file. Password functions are passed in, so that lib/auth is not imported. */
export type ProvisioningMeans = {
  defaultPlan: Plan;
  keyPepper: string;
  encryptionKeys: EncryptionKeys;
  hashPassword: (password: string) => Promise<string>;
  passwordMatches: (password: string, passwordHash: string | null) => Promise<boolean>;
};

/** A run's work on one workspace. The transaction is the run's: any fault is reported and rolls everything back. */
export type Provisioning = ProvisioningMeans & {
  tx: Transaction;
  faults: string[];
  workspaceId: WorkspaceId;
  /** Writes an audit row if there is a change. */
  record: Recorder;
};

/** The author in the audit log. */
export const PROVISIONER: Author = { actor: { kind: "provisioner", id: "provision" }, requestId: null };
