import { and, eq, isNull, sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { type Mode, phoneNumbers } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import { encrypt } from "@/lib/core/crypto";
import { encryptionKeys } from "@/lib/core/encryption-keys";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { subscribeApp } from "@/lib/whatsapp/subscribed-apps";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { checkFailure, failedAtPlatform } from "./check";
import { queueRead } from "./queue-reads";
import { verifyAccess } from "./verify-access";

export type NewLine = {
  label: string;
  accessToken: string;
  whatsappBusinessAccountId: string;
  whatsappPhoneNumberId: string;
};

/**
 * Connects a number of WhatsApp: checks the token again, subscribes the app to the account and stores the line. A
 * number that was disconnected becomes the same line again. Its templates are queued to be read. Throws VALIDATION_ERROR
 * by field, with WhatsApp's words, or CHAT_GRAPH_ERROR where WhatsApp could not be reached; nothing is stored then.
 */
export async function connectPhoneNumber(
  workspaceId: WorkspaceId,
  { label, ...access }: NewLine,
  by: Author,
): Promise<{ id: string }> {
  const line = { mode: "live", ...access } as const;
  const { number, token, isSubscribed } = await verifyAccess(line);
  if (!isSubscribed) {
    const subscription = await subscribeApp(line);
    if (subscription.outcome === "failed") {
      const words = "The app could not be subscribed to the business account, so no status would ever come";
      const advice = "The token needs the right whatsapp_business_management on this account.";
      throw checkFailure(failedAtPlatform("subscription", subscription, { words, advice }), "accessToken");
    }
  }
  const { status: _, ...described } = number;
  const expiresAt = token?.expiry && token.expiry !== "never" ? token.expiry.at : null;
  return store(workspaceId, {
    by,
    label,
    mode: "live",
    accessToken: access.accessToken,
    columns: {
      ...described,
      whatsappBusinessAccountId: access.whatsappBusinessAccountId,
      tokenCheckedAt: sql`now()`,
      tokenExpiresAt: expiresAt,
      subscribedAt: sql`now()`,
    },
  });
}

/** What is stored of a line beside its id, label, mode and token. */
type Described = Pick<
  typeof phoneNumbers.$inferInsert,
  "whatsappPhoneNumberId" | "whatsappBusinessAccountId" | "displayPhoneNumber" | "verifiedName" | "qualityRating"
> & { [Column in "throughput" | "messagingLimit"]?: string | null } & {
  [Column in "tokenCheckedAt" | "tokenExpiresAt" | "subscribedAt"]?: Date | null | ReturnType<typeof sql>;
};

type Storing = { by: Author; label: string; mode: Mode; accessToken: string; columns: Described };

/** One transaction, after all calls to WhatsApp. The unique index decides between two who connect at once. */
export function store(workspaceId: WorkspaceId, storing: Storing): Promise<{ id: string }> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const { by, label, mode, columns } = storing;
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
      if (change) await recordAudit(tx, workspaceId, { by, action: "phoneNumber.connected", targetId: id, ...change });
      if (mode === "live") await queueRead(tx, workspaceId, whatsappBusinessAccountId);
      return { id };
    }),
  );
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

/** The line of a number that was disconnected: its id, its messages and its webhooks are the same as before. */
const revive = async (
  tx: Transaction,
  workspaceId: WorkspaceId,
  { label, mode, accessToken, columns, isDefault }: Row,
): Promise<string> => {
  const [stored] = await tx
    .select({ id: phoneNumbers.id, label: phoneNumbers.label, disconnectedAt: phoneNumbers.disconnectedAt })
    .from(phoneNumbers)
    .where(
      and(
        eq(phoneNumbers.workspaceId, workspaceId),
        eq(phoneNumbers.mode, mode),
        eq(phoneNumbers.whatsappPhoneNumberId, columns.whatsappPhoneNumberId),
      ),
    )
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
    .where(and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.id, stored.id)));
  return stored.id;
};

const hasDefault = async (tx: Transaction, workspaceId: WorkspaceId, mode: Mode): Promise<boolean> => {
  const [line] = await tx
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(
      and(
        eq(phoneNumbers.workspaceId, workspaceId),
        eq(phoneNumbers.mode, mode),
        eq(phoneNumbers.isDefault, true),
        isNull(phoneNumbers.disconnectedAt),
      ),
    )
    .limit(1);
  return line !== undefined;
};
