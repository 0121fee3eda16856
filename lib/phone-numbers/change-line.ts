import { and, eq, sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { type AuditAction, recordAudit } from "@/lib/workspaces/record-audit";
import { isConnectedLine, noSuchLine } from "./queries";

/** Each throws NOT_FOUND where the line is not connected, and leaves no trace where it changes nothing. */

export function renameLine(workspaceId: WorkspaceId, { id, label }: { id: string; label: string }, by: Author) {
  return change(workspaceId, { id, by, action: "phoneNumber.changed", to: { label } });
}

/** Sends on the line are refused from the next request on; statuses of earlier ones still arrive. */
export function pauseLine(workspaceId: WorkspaceId, id: string, by: Author) {
  return change(workspaceId, { id, by, action: "phoneNumber.paused", to: { isActive: false } });
}

export function resumeLine(workspaceId: WorkspaceId, id: string, by: Author) {
  return change(workspaceId, { id, by, action: "phoneNumber.resumed", to: { isActive: true } });
}

/** The one default line of its mode. */
export function makeDefaultLine(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const line = await lock(tx, workspaceId, id);
      // Locked in one order, so that two changes at once cannot deadlock.
      const lines = await tx
        .select({ id: phoneNumbers.id, isDefault: phoneNumbers.isDefault })
        .from(phoneNumbers)
        .where(and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.mode, line.mode)))
        .orderBy(phoneNumbers.id)
        .for("no key update");
      for (const other of lines) {
        await write(tx, workspaceId, {
          id: other.id,
          by,
          action: "phoneNumber.changed",
          from: other,
          to: { isDefault: other.id === id },
        });
      }
    }),
  );
}

type Changed = Partial<Pick<PhoneNumber, "label" | "isActive" | "isDefault">>;
type LineChange = { id: string; by: Author; action: AuditAction; to: Changed };

const change = (workspaceId: WorkspaceId, wanted: LineChange): Promise<void> =>
  onDatabase((db) =>
    db.transaction(async (tx) => write(tx, workspaceId, { ...wanted, from: await lock(tx, workspaceId, wanted.id) })),
  );

const lock = async (tx: Transaction, workspaceId: WorkspaceId, id: string): Promise<PhoneNumber> => {
  const [line] = await tx.select().from(phoneNumbers).where(isConnectedLine(workspaceId, id)).for("no key update");
  if (!line) throw noSuchLine();
  return line;
};

const write = async (
  tx: Transaction,
  workspaceId: WorkspaceId,
  { id, by, action, from, to }: LineChange & { from: Changed },
): Promise<void> => {
  const changed = changeOf(from, to);
  if (!changed) return;
  await tx
    .update(phoneNumbers)
    .set({ ...to, updatedAt: sql`now()` })
    .where(and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.id, id)));
  await recordAudit(tx, workspaceId, { by, action, targetId: id, ...changed });
};
