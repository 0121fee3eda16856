import type { PoolName } from "@/db/client";
import { lockPeople, onSql, rawSql } from "@/db/raw-sql";
import { isNumber } from "./names";
import type { PersonEvent } from "./person";
import { storePeople, storingPeople } from "./store-people";

/** A message's recipient as WhatsApp reports it: number and user id. */
export type LearnedRecipient = {
  workspaceId: string;
  contactId: string;
  /** The number or user id that the message was sent to. */
  sentTo: string;
  waId: string | null;
  userId: string | null;
  /** The line's business account. */
  account: string;
  /** When the message was claimed: the recipient had the name then, whenever the status arrived. */
  since: Date;
};

/** Stores the other numbers and user ids that WhatsApp reports for contacts. Idempotent. */
export async function storeRecipients(
  learned: readonly LearnedRecipient[],
  { pool = "webhooks" }: { pool?: PoolName } = {},
): Promise<void> {
  if (learned.length === 0) return;
  await storingPeople(async (tx) => {
    await lockPeople(
      rawSql(tx),
      learned.map(({ workspaceId }) => workspaceId),
    );
    await storePeople(tx, learned.map(toEvent));
  }, pool);
}

/** Stores the recipient's number from a send's response; a known number costs one query. */
export async function storeRecipientNumber(
  learned: Omit<LearnedRecipient, "userId" | "waId" | "account"> & { waId: string },
) {
  const { workspaceId, contactId, waId } = learned;
  const known = await onSql(
    (sql) => sql`
      select from contact_names n join contacts c on c.workspace_id = n.workspace_id and c.id = ${contactId}
      where n.workspace_id = ${workspaceId} and n.name = ${waId} and n.contact_id = coalesce(c.merged_into, c.id)`,
  );
  if (known.length === 0) await storeRecipients([{ ...learned, userId: null, account: "" }], { pool: "requests" });
}

const toEvent = ({ workspaceId, contactId, sentTo, waId, userId, account, since }: LearnedRecipient): PersonEvent => ({
  workspaceId,
  kind: "seen",
  account,
  numbers: waId === null || waId === sentTo ? [] : [waId],
  userId,
  atMs: since.getTime(),
  hasWritten: false,
  opensWindow: false,
  displayName: null,
  sentTo: contactId,
  sentToName: sentTo,
  // An id, or a number that WhatsApp rewrote, is certainly this person's; a number as given may have a new owner.
  isSentToCertain: !isNumber(sentTo) || (waId !== null && waId !== sentTo),
});
