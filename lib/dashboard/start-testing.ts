import { eq } from "drizzle-orm";
import { phoneNumbers, workspaces } from "@/db/schema";
import { addKey } from "@/lib/api-keys/change-key";
import type { WorkspaceId } from "@/lib/core/principal";
import { storeTestLine } from "@/lib/phone-numbers/connect-phone-number";
import { type Author, audited } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";

const LINE = "Test line";
const KEY = "First calls";

/** Makes what the first test call needs: a key, and a test line unless there is one. */
export function startTesting(workspaceId: WorkspaceId, by: Author) {
  return audited(workspaceId, by, async (tx, record) => {
    // One after the other: a second test line would make every call name its line.
    await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, workspaceId)).for("no key update");
    const isTestLine = rowsOf(phoneNumbers, workspaceId, { mode: "test", isActive: true, disconnectedAt: null });
    if ((await tx.$count(phoneNumbers, isTestLine)) === 0) await storeTestLine({ tx, record, workspaceId }, LINE);
    const key = { label: KEY, mode: "test" } as const;
    const { apiKey, apiSecret } = await addKey(tx, workspaceId, key, by);
    return { ...key, apiKey, apiSecret };
  });
}
