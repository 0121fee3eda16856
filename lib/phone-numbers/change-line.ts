import { sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import { invalid, refusedByPlatform } from "@/lib/core/app-error";
import { encrypt, encryptionKeys } from "@/lib/core/crypto";
import type { WorkspaceId } from "@/lib/core/principal";
import { failureSentence } from "@/lib/whatsapp/errors";
import { subscribeApp } from "@/lib/whatsapp/phone-numbers";
import type { AuditAction } from "@/lib/workspaces/audit-sentences";
import { type Author, audited, changeOf, type Recorder } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { verifyAccess } from "./check-access";
import { getConnectedLine, isConnectedLine, noSuchLine } from "./queries";
import { queueRead } from "./queue-reads";
import { openLine } from "./whatsapp-line";

// Each throws NOT_FOUND if the line is not connected, and writes no audit row if nothing changes.

export function renameLine(workspaceId: WorkspaceId, { id, label }: { id: string; label: string }, by: Author) {
  return change(workspaceId, { id, by, action: "phoneNumber.changed", to: { label } });
}

/** Refuses sends on the line from the next request on; statuses of earlier messages still arrive. */
export function pauseLine(workspaceId: WorkspaceId, id: string, by: Author) {
  return change(workspaceId, { id, by, action: "phoneNumber.paused", to: { isActive: false } });
}

export function resumeLine(workspaceId: WorkspaceId, id: string, by: Author) {
  return change(workspaceId, { id, by, action: "phoneNumber.resumed", to: { isActive: true } });
}

/** Makes it the only default line of its mode. */
export function makeDefaultLine(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    // All in a fixed order and in one statement, so that concurrent changes cannot deadlock.
    const lines = await tx
      .select()
      .from(phoneNumbers)
      .where(rowsOf(phoneNumbers, workspaceId))
      .orderBy(phoneNumbers.id)
      .for("no key update");
    const line = lines.find((one) => one.id === id && one.disconnectedAt === null);
    if (!line) throw noSuchLine();
    for (const other of lines.filter(({ mode }) => mode === line.mode)) {
      const to = { isDefault: other.id === id };
      await write({ tx, record, workspaceId }, { id: other.id, action: "phoneNumber.changed", from: other, to });
    }
  });
}

type Changed = Partial<Pick<PhoneNumber, "label" | "isActive" | "isDefault">>;
type LineChange = { id: string; action: AuditAction; to: Changed };

const change = (workspaceId: WorkspaceId, { by, ...wanted }: LineChange & { by: Author }): Promise<void> =>
  audited(workspaceId, by, async (tx, record) => {
    const isThis = isConnectedLine(workspaceId, wanted.id);
    const [from] = await tx.select().from(phoneNumbers).where(isThis).for("no key update");
    if (!from) throw noSuchLine();
    await write({ tx, record, workspaceId }, { ...wanted, from });
  });

async function write(
  { tx, record, workspaceId }: { tx: Transaction; record: Recorder; workspaceId: WorkspaceId },
  { id, action, from, to }: LineChange & { from: Changed },
): Promise<void> {
  const changed = changeOf(from, to);
  if (!changed) return;
  await tx
    .update(phoneNumbers)
    .set({ ...to, updatedAt: sql`now()` })
    .where(rowsOf(phoneNumbers, workspaceId, { id }));
  await record(action, id, changed);
}

/**
 * Disconnects a line and deletes its token. Its messages stay, and their late statuses still arrive;
 * reconnecting the number restores the same id. Throws NOT_FOUND if it is not connected.
 */
export function disconnectLine(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const [line] = await tx
      .update(phoneNumbers)
      .set({
        accessToken: "",
        isActive: false,
        isDefault: false,
        tokenProblem: null,
        tokenExpiresAt: null,
        subscribedAt: null,
        disconnectedAt: sql`now()`,
        updatedAt: sql`now()`,
      })
      .where(isConnectedLine(workspaceId, id))
      .returning({ label: phoneNumbers.label, disconnectedAt: phoneNumbers.disconnectedAt });
    if (!line) throw noSuchLine();
    await record("phoneNumber.disconnected", id, {
      before: { label: line.label, disconnectedAt: null },
      after: { disconnectedAt: line.disconnectedAt },
    });
  });
}

/**
 * Replaces a live line's token once WhatsApp has accepted it for the line's number. Throws VALIDATION_ERROR
 * with WhatsApp's text otherwise, or CHAT_GRAPH_ERROR if WhatsApp is unreachable; the old token is kept then.
 */
export async function replaceToken(
  workspaceId: WorkspaceId,
  { id, accessToken }: { id: string; accessToken: string },
  by: Author,
): Promise<void> {
  const line = await getConnectedLine(workspaceId, id);
  if (line.mode === "test") {
    throw invalid([
      { path: "accessToken", message: "A test line belongs to the built-in sandbox and needs no token." },
    ]);
  }
  const { whatsappPhoneNumberId, whatsappBusinessAccountId } = line;
  const access = { mode: "live", whatsappPhoneNumberId, whatsappBusinessAccountId, accessToken } as const;
  const { tokenCheckedAt, tokenExpiresAt, isSubscribed } = await verifyAccess(access);
  await audited(workspaceId, by, async (tx, record) => {
    const [replaced] = await tx
      .update(phoneNumbers)
      .set({
        accessToken: encrypt(accessToken, `${workspaceId}/${id}`, encryptionKeys()),
        tokenProblem: null,
        tokenExpiresAt,
        tokenCheckedAt,
        updatedAt: sql`now()`,
        subscribedAt: isSubscribed ? sql`now()` : null,
      })
      .where(isConnectedLine(workspaceId, id))
      .returning({ id: phoneNumbers.id });
    if (!replaced) throw noSuchLine();
    // Template reads failed while WhatsApp refused the old token.
    if (line.tokenProblem !== null) await queueRead(tx, workspaceId, whatsappBusinessAccountId);
    const change = changeOf({ accessToken: "", tokenExpiresAt: line.tokenExpiresAt }, { accessToken, tokenExpiresAt });
    await record("phoneNumber.tokenReplaced", id, change);
  });
}

/**
 * Subscribes the token's app to the webhooks of the line's business account. Every line of that
 * account is subscribed with it. Throws CHAT_GRAPH_ERROR with WhatsApp's text, or saying that it is unreachable.
 */
export async function subscribeLine(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  const line = await getConnectedLine(workspaceId, id);
  const { mode, whatsappBusinessAccountId } = line;
  const subscription = await subscribeApp(openLine(workspaceId, line));
  if (subscription.outcome === "failed") {
    throw refusedByPlatform("platform", `The app was not subscribed. ${failureSentence(subscription)}`, {
      retryable: subscription.kind !== "refused",
      ...(subscription.platform ? { platform: subscription.platform } : {}),
    });
  }
  await audited(workspaceId, by, async (tx, record) => {
    await tx
      .update(phoneNumbers)
      .set({ subscribedAt: sql`now()`, updatedAt: sql`now()` })
      .where(rowsOf(phoneNumbers, workspaceId, { mode, whatsappBusinessAccountId, disconnectedAt: null }));
    await record("phoneNumber.subscribed", id, { before: null, after: { whatsappBusinessAccountId } });
  });
}
