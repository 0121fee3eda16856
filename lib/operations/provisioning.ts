import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Transaction } from "@/db/client";
import type * as schema from "@/db/schema";
import type { EncryptionKeys } from "@/lib/core/crypto";
import type { Plan } from "@/lib/core/plans";
import type { Author } from "@/lib/workspaces/author";

export type ProvisioningDatabase = PostgresJsDatabase<typeof schema>;

/** What a run needs beside the file. Passwords come as functions, because nouns do not know lib/auth. */
export type ProvisioningMeans = {
  defaultPlan: Plan;
  keyPepper: string;
  encryptionKeys: EncryptionKeys;
  hashPassword: (password: string) => Promise<string>;
  passwordMatches: (password: string, passwordHash: string | null) => Promise<boolean>;
};

/** One run: everything happens in `tx`; a fault found on the way is reported, and undoes the whole. */
export type Provisioning = ProvisioningMeans & {
  tx: Transaction;
  faults: string[];
};

/** Whom the audit log names. */
export const PROVISIONER: Author = { actor: { kind: "provisioner", id: "provision" }, requestId: null };
