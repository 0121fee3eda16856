import { randomBytes, randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { type Mode, phoneNumbers } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import { encrypt, encryptionKeys } from "@/lib/core/crypto";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import { displayPhoneNumber } from "@/lib/sandbox/phone-numbers";
import { subscribeApp } from "@/lib/whatsapp/phone-numbers";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { audited } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { checkFailure, failedAtPlatform } from "./check";
import { NEEDS_MANAGEMENT, verifyAccess } from "./check-access";
import { findTestAccount } from "./queries";
import { queueRead } from "./queue-reads";

export type NewLine = {
  label: string;
  accessToken: string;
  whatsappBusinessAccountId: string;
  whatsappPhoneNumberId: string;
};

/**
 * Connects a WhatsApp number: checks the token again, subscribes the app to the account and stores the line. A
 * reconnected number becomes the same line again. Queues a read of its templates. Throws VALIDATION_ERROR
 * by field, with WhatsApp's text, or CHAT_GRAPH_ERROR if WhatsApp is unreachable; nothing is stored then.
 */
export async function connectPhoneNumber(
  workspaceId: WorkspaceId,
  { label, ...access }: NewLine,
  by: Author,
): Promise<{ id: string }> {
  const line = { mode: "live", ...access } as const;
  const { number, tokenExpiresAt, isSubscribed } = await verifyAccess(line);
  if (!isSubscribed) {
    const subscription = await subscribeApp(line);
    if (subscription.outcome === "failed") {
      const words = "The app could not be subscribed to the business account, so no status would ever come";
      throw checkFailure(failedAtPlatform("subscription", subscription, words, NEEDS_MANAGEMENT), "accessToken");
    }
  }
  const { status: _, ...described } = number;
  return store(workspaceId, {
    by,
    label,
    mode: "live",
    accessToken: access.accessToken,
    columns: {
      ...described,
      whatsappBusinessAccountId: access.whatsappBusinessAccountId,
      tokenCheckedAt: sql`now()`,
      tokenExpiresAt,
      subscribedAt: sql`now()`,
    },
  });
}

/** The stored fields of a line, other than its id, label, mode and token. */
type Described = Pick<
  typeof phoneNumbers.$inferInsert,
  "whatsappPhoneNumberId" | "whatsappBusinessAccountId" | "displayPhoneNumber" | "verifiedName" | "qualityRating"
> & { [Column in "throughput" | "messagingLimit"]?: string | null } & {
  [Column in "tokenCheckedAt" | "tokenExpiresAt" | "subscribedAt"]?: Date | null | ReturnType<typeof sql>;
};

type Storing = { by: Author; label: string; mode: Mode; accessToken: string; columns: Described };

/** Stores the line in one transaction, after all calls to WhatsApp. The unique index decides concurrent connects. */
export function store(workspaceId: WorkspaceId, storing: Storing): Promise<{ id: string }> {
  const { by, label, mode, columns } = storing;
  return audited(workspaceId, by, async (tx, record) => {
    const { whatsappPhoneNumberId, whatsappBusinessAccountId, displayPhoneNumber } = columns;
    const isDefault = !(await hasDefault(tx, workspaceId, mode));
    const id =
      (await insert(tx, workspaceId, { ...storing, isDefault })) ??
      (await revive(tx, workspaceId, { ...storing, isDefault }));
    const change = changeOf(undefined, {
      label,
      mode,
      displayPhoneNumber,
      whatsappPhoneNumberId,
      whatsappBusinessAccountId,
      isDefault,
      accessToken: storing.accessToken,
    });
    await record("phoneNumber.connected", id, change);
    if (mode === "live") await queueRead(tx, workspaceId, whatsappBusinessAccountId);
    return { id };
  });
}

type Row = Storing & { isDefault: boolean };

const insert = async (
  tx: Transaction,
  workspaceId: WorkspaceId,
  { label, mode, accessToken, columns, isDefault }: Row,
): Promise<string | undefined> => {
  const id = newId("pn");
  const sealed = encrypt(accessToken, `${workspaceId}/${id}`, encryptionKeys());
  const [inserted] = await tx
    .insert(phoneNumbers)
    .values({ workspaceId, id, label, mode, isDefault, ...columns, accessToken: sealed })
    .onConflictDoNothing()
    .returning({ id: phoneNumbers.id });
  return inserted?.id;
};

/** Reconnects the line of a disconnected number, with the same id, messages and webhooks. */
const revive = async (
  tx: Transaction,
  workspaceId: WorkspaceId,
  { label, mode, accessToken, columns, isDefault }: Row,
): Promise<string> => {
  const [stored] = await tx
    .select({ id: phoneNumbers.id, label: phoneNumbers.label, disconnectedAt: phoneNumbers.disconnectedAt })
    .from(phoneNumbers)
    .where(rowsOf(phoneNumbers, workspaceId, { mode, whatsappPhoneNumberId: columns.whatsappPhoneNumberId }))
    .for("update");
  if (!stored) throw new Error("a number that is taken has its row");
  if (!stored.disconnectedAt) {
    const message = `This number is connected already, as the line “${stored.label}”. Replace its token there if it has a new one.`;
    throw invalid([{ path: "whatsappPhoneNumberId", message }]);
  }
  const sealed = encrypt(accessToken, `${workspaceId}/${stored.id}`, encryptionKeys());
  await tx
    .update(phoneNumbers)
    .set({
      label,
      ...columns,
      isDefault,
      isActive: true,
      accessToken: sealed,
      tokenProblem: null,
      disconnectedAt: null,
      updatedAt: sql`now()`,
    })
    .where(rowsOf(phoneNumbers, workspaceId, { id: stored.id }));
  return stored.id;
};

const hasDefault = async (tx: Transaction, workspaceId: WorkspaceId, mode: Mode): Promise<boolean> => {
  const [line] = await tx
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(rowsOf(phoneNumbers, workspaceId, { mode, isDefault: true, disconnectedAt: null }))
    .limit(1);
  return line !== undefined;
};

/** Adds a line of the built-in sandbox: a number that is not assigned, and a token that opens nothing else. */
export async function addTestLine(
  workspaceId: WorkspaceId,
  { label }: { label: string },
  by: Author,
): Promise<{ id: string }> {
  const whatsappPhoneNumberId = freshId();
  return store(workspaceId, {
    by,
    label,
    mode: "test",
    accessToken: `sandbox_${randomBytes(24).toString("base64url")}`,
    columns: {
      whatsappPhoneNumberId,
      whatsappBusinessAccountId: (await findTestAccount(workspaceId)) ?? freshId(),
      displayPhoneNumber: displayPhoneNumber(whatsappPhoneNumberId),
      verifiedName: null,
      qualityRating: null,
    },
  });
}

const freshId = () => `1${randomInt(10 ** 13, 10 ** 14)}`;
