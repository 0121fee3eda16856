import type { Sql } from "postgres";
import type { Mail } from "@/db/schema";
import { encrypt, encryptionKeys } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";

/** A mail to send once the transaction that queues it is committed. `hours`: it is not sent later than that. */
export type QueuedMail = Pick<Mail, "id" | "kind" | "address" | "content"> & {
  userId?: string;
  workspaceId?: string;
  hours: number;
  /** The end of the link's path, which holds a token. */
  linkEnd?: string;
};

/** Whether this deployment sends mail. */
export function sendsMail(): boolean {
  return env().SMTP_URL !== undefined;
}

/** Stores mails in the caller's transaction; none where no mail server is configured. Call `wakeMailer` after the commit. */
export async function queueMails(sql: Sql, mails: readonly QueuedMail[]): Promise<void> {
  if (mails.length === 0 || !sendsMail()) return;
  const rows = mails.map(({ linkEnd, ...mail }) => ({
    ...mail,
    linkSecret: linkEnd === undefined ? null : encrypt(linkEnd, rowOf(mail.id), encryptionKeys()),
  }));
  await sql`
    insert into mails (id, kind, address, user_id, workspace_id, content, link_secret, expires_at)
    select id, kind, address, "userId", "workspaceId", content, "linkSecret", now() + make_interval(secs => hours * 3600)
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as m (id text, kind text, address text, "userId" text,
      "workspaceId" text, content json, "linkSecret" text, hours float8)`;
}

/** What a mail's link is encrypted for. */
export function rowOf(mailId: string): string {
  return `mail ${mailId}`;
}
