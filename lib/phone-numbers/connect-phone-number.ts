import { randomBytes, randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { phoneNumbers } from "@/db/schema";
import { invalid } from "@/lib/core/app-error";
import { encrypt, encryptionKeys } from "@/lib/core/crypto";
import { newId } from "@/lib/core/new-id";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { shorten } from "@/lib/core/text";
import { displayPhoneNumber } from "@/lib/sandbox/phone-numbers";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import { subscribeApp, type WhatsappPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import { type Author, audited, changeOf, type Recorder } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { addSandboxTemplates } from "./add-sandbox-templates";
import { checkFailure, failedAtPlatform } from "./check";
import { NEEDS_MANAGEMENT, verifyAccess } from "./check-access";
import { findTestAccount } from "./queries";
import { queueRead } from "./queue-reads";

export type NewLine = {
  /** By default the number's verified name. */
  label?: string;
  accessToken: string;
  whatsappBusinessAccountId: string;
  whatsappPhoneNumberId: string;
};

/**
 * Connects a WhatsApp number: checks the token again, subscribes the app to the account, runs `prepare` and stores the line.
 * A reconnected number becomes the same line again. Queues a read of its templates. Throws VALIDATION_ERROR
 * by field, with WhatsApp's text, or CHAT_GRAPH_ERROR if WhatsApp is unreachable; nothing is stored then.
 */
export async function connectPhoneNumber(
  workspaceId: WorkspaceId,
  { label, ...access }: NewLine,
  by: Author,
  prepare?: (line: WhatsappLine, number: WhatsappPhoneNumber) => Promise<void>,
): Promise<{ id: string }> {
  const line = { mode: "live", ...access } as const;
  const { number, tokenCheckedAt, tokenExpiresAt, isSubscribed } = await verifyAccess(line);
  // Before anything changes at WhatsApp: a PIN that is set for a line that is then not stored would be lost.
  await refuseConnected(workspaceId, { mode: "live", whatsappPhoneNumberId: access.whatsappPhoneNumberId });
  if (!isSubscribed) {
    const subscription = await subscribeApp(line);
    if (subscription.outcome === "failed") {
      const words = "The app could not be subscribed to the business account, so no status would ever come";
      throw checkFailure(failedAtPlatform("subscription", subscription, words, NEEDS_MANAGEMENT), "accessToken");
    }
  }
  await prepare?.(line, number);
  const { status: _, ...described } = number;
  const name = shorten(number.verifiedName?.trim() || number.displayPhoneNumber, 99);
  const columns = {
    ...described,
    whatsappBusinessAccountId: access.whatsappBusinessAccountId,
    tokenCheckedAt,
    tokenExpiresAt,
    subscribedAt: sql`now()`,
  };
  return audited(workspaceId, by, (tx, record) =>
    store(
      { tx, record, workspaceId },
      { label: label ?? name, mode: "live", accessToken: access.accessToken, columns },
    ),
  );
}

/** The stored fields of a line, other than its id, label, mode and token. */
type Described = Pick<
  typeof phoneNumbers.$inferInsert,
  "whatsappPhoneNumberId" | "whatsappBusinessAccountId" | "displayPhoneNumber" | "verifiedName" | "qualityRating"
> & { [Column in "throughput" | "messagingLimit"]?: string | null } & {
  [Column in "tokenCheckedAt" | "tokenExpiresAt" | "subscribedAt"]?: Date | null | ReturnType<typeof sql>;
};

type Writing = { tx: Transaction; record: Recorder; workspaceId: WorkspaceId };

/** Stores the line in one transaction, after all calls to WhatsApp. The unique index decides concurrent connects. */
async function store(
  { tx, record, workspaceId }: Writing,
  { label, mode, accessToken, columns }: { label: string; mode: Mode; accessToken: string; columns: Described },
): Promise<{ id: string }> {
  const { whatsappPhoneNumberId, whatsappBusinessAccountId, displayPhoneNumber } = columns;
  const isDefaultLine = rowsOf(phoneNumbers, workspaceId, { mode, isDefault: true, disconnectedAt: null });
  const isDefault = (await tx.$count(phoneNumbers, isDefaultLine)) === 0;
  const row = { label, ...columns, isDefault };
  const seal = (id: string) => encrypt(accessToken, `${workspaceId}/${id}`, encryptionKeys());
  const newLineId = newId("pn");
  const [inserted] = await tx
    .insert(phoneNumbers)
    .values({ workspaceId, id: newLineId, mode, ...row, accessToken: seal(newLineId) })
    .onConflictDoNothing()
    .returning({ id: phoneNumbers.id });
  const { id } = inserted ?? (await lockDisconnected(tx, workspaceId, { mode, whatsappPhoneNumberId }));
  if (!inserted) {
    const back = { isActive: true, accessToken: seal(id), tokenProblem: null, disconnectedAt: null };
    await tx
      .update(phoneNumbers)
      .set({ ...row, ...back, updatedAt: sql`now()` })
      .where(rowsOf(phoneNumbers, workspaceId, { id }));
  }
  const shown = { label, mode, displayPhoneNumber, whatsappPhoneNumberId, whatsappBusinessAccountId, isDefault };
  await record("phoneNumber.connected", id, changeOf(undefined, { ...shown, accessToken }));
  if (mode === "live") await queueRead(tx, workspaceId, whatsappBusinessAccountId);
  else await addSandboxTemplates(tx, workspaceId, whatsappBusinessAccountId);
  return { id };
}

type Numbered = { mode: Mode; whatsappPhoneNumberId: string };

/** Returns the line of a disconnected number, to connect it again with the same id, messages and webhooks. */
async function lockDisconnected(tx: Transaction, workspaceId: WorkspaceId, number: Numbered): Promise<{ id: string }> {
  const [stored] = await tx
    .select(columnsOf(phoneNumbers, "id", "label", "disconnectedAt"))
    .from(phoneNumbers)
    .where(rowsOf(phoneNumbers, workspaceId, number))
    .for("update");
  if (!stored) throw new Error("a number that is taken has its row");
  if (stored.disconnectedAt) return stored;
  throw connectedAlready(stored);
}

async function refuseConnected(workspaceId: WorkspaceId, number: Numbered): Promise<void> {
  const isConnected = rowsOf(phoneNumbers, workspaceId, { ...number, disconnectedAt: null });
  const [stored] = await onDatabase((db) =>
    db.select(columnsOf(phoneNumbers, "label")).from(phoneNumbers).where(isConnected),
  );
  if (stored) throw connectedAlready(stored);
}

function connectedAlready({ label }: { label: string }) {
  const message = `This number is connected already, as the line “${label}”. Replace its token there if it has a new one.`;
  return invalid([{ path: "whatsappPhoneNumberId", message }]);
}

/** Adds a line of the built-in sandbox: a number that is not assigned, and a token that opens nothing else. */
export function addTestLine(
  workspaceId: WorkspaceId,
  { label }: { label: string },
  by: Author,
): Promise<{ id: string }> {
  return audited(workspaceId, by, (tx, record) => storeTestLine({ tx, record, workspaceId }, label));
}

/** The same within the caller's transaction. */
export async function storeTestLine(writing: Writing, label: string): Promise<{ id: string }> {
  const whatsappPhoneNumberId = freshId();
  return store(writing, {
    label,
    mode: "test",
    accessToken: `sandbox_${randomBytes(24).toString("base64url")}`,
    columns: {
      whatsappPhoneNumberId,
      whatsappBusinessAccountId: (await findTestAccount(writing.tx, writing.workspaceId)) ?? freshId(),
      displayPhoneNumber: displayPhoneNumber(whatsappPhoneNumberId),
      verifiedName: null,
      qualityRating: null,
    },
  });
}

const freshId = () => `1${randomInt(10 ** 13, 10 ** 14)}`;
