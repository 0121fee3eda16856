import { and, eq, sql } from "drizzle-orm";
import { onDatabase, prepared } from "@/db/client";
import { type Message, type Mode, messages } from "@/db/schema";
import { AppError } from "@/lib/errors";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/** The message, or NOT_FOUND, which is also the answer for another workspace's and for the other mode's. */
export const getMessage = async (workspaceId: WorkspaceId, mode: Mode, messageId: string): Promise<Message> => {
  // Postgres refuses a NUL wherever it stands, and no id has one.
  const message = messageId.includes("\0") ? undefined : await findMessage(workspaceId, messageId);
  if (message?.mode === mode) return message;
  const hint = messageId.startsWith("wamid.")
    ? " Use our id (`data.id` of the send), not the platform's."
    : " Use `data.id` of the send, with a key of the same mode.";
  throw new AppError("NOT_FOUND", `No message "${messageId.slice(0, 80)}" in this workspace.${hint}`, {
    details: { field: "messageId", retryable: false },
  });
};

export const findMessage = async (workspaceId: WorkspaceId, messageId: string): Promise<Message | undefined> => {
  const [message] = await onDatabase((db) => messageById(db).execute({ workspaceId, messageId }));
  return message;
};

export const findMessageByIdempotencyKey = async (
  workspaceId: WorkspaceId,
  mode: Mode,
  idempotencyKey: string,
): Promise<Message | undefined> => {
  const [message] = await onDatabase((db) => messageByKey(db).execute({ workspaceId, mode, idempotencyKey }));
  return message;
};

const messageById = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.workspaceId, sql.placeholder("workspaceId")), eq(messages.id, sql.placeholder("messageId"))))
    .prepare("message_by_id"),
);

const messageByKey = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.workspaceId, sql.placeholder("workspaceId")),
        eq(messages.mode, sql.placeholder("mode")),
        eq(messages.idempotencyKey, sql.placeholder("idempotencyKey")),
      ),
    )
    .prepare("message_by_key"),
);
