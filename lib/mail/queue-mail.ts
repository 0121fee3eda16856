import type { Fragment, Sql } from "postgres";
import { encrypt, encryptionKeys } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";

export type MailContent = {
  subject: string;
  paragraphs: string[];
  link: { label: string; path: string };
  /** Of an alert: sent at once, and first where several become one mail. */
  isUrgent?: boolean;
  alert?: MailedAlert;
};

export type MailedAlert = {
  kind: string;
  /** What is the same of all mails about one condition that comes and goes. */
  about: string;
  event: "opened" | "closed";
  /** When that was announced. */
  at: string;
  /** How often it was opened in the last ten minutes. */
  times: number;
};

/** What the job of a mail holds. Its id is also the `Message-ID`, so that a mail server can recognize a repetition. */
export type Mail = {
  kind: "alert" | "invitation" | "passwordReset" | "confirmation" | "security";
  address: string;
  content: MailContent;
  /** The rest of the link's path, where it holds a token: encrypted, for this job. */
  linkSecret: string | null;
};

/** A mail to send once the transaction that queues it is committed. `hours`: it is not sent later than that. */
export type QueuedMail = Omit<Mail, "linkSecret"> & {
  id: string;
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

/** Stores mails in the caller's transaction; none where no mail server is configured. Call `queued("mails")` after the commit. */
export async function queueMails(sql: Sql, mails: readonly QueuedMail[]): Promise<void> {
  if (mails.length === 0 || !sendsMail()) return;
  const rows = mails.map(({ linkEnd, ...mail }) => ({
    ...mail,
    linkSecret: linkEnd === undefined ? null : encrypt(linkEnd, rowOf(mail.id), encryptionKeys()),
  }));
  await insertJobs(
    sql,
    sql`select id, kind, address, "userId", "workspaceId", content, "linkSecret", now() + make_interval(secs => hours * 3600)
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as m (id text, kind text, address text, "userId" text,
        "workspaceId" text, content json, "linkSecret" text, hours float8)`,
  );
}

/** Alerts are of a person, who receives those that are due together as one mail. */
const insertJobs = (sql: Sql, mails: Fragment) => sql`
  insert into jobs (kind, id, cause, user_id, workspace_id, payload, expires_at)
  select case kind when 'alert' then 'alertMail' else 'mail' end, id,
    case kind when 'alert' then user_id else coalesce(workspace_id, user_id) end, user_id, workspace_id,
    jsonb_build_object('kind', kind, 'address', address, 'content', content, 'linkSecret', link_secret), expires_at
  from (${mails}) mail (id, kind, address, user_id, workspace_id, content, link_secret, expires_at)`;

/** Takes over what servers of 0.6 queued and did not send: what is due and not being sent. The next release drops the table. */
export function takeFormerMails(sql: Sql) {
  return sql`
    with due as materialized (
      select id from mails where next_attempt_at <= now() limit 500 for update skip locked
    ), taken as (
      delete from mails where id = any (array(select id from due)) returning *
    )
    ${insertJobs(sql, sql`select id, kind, address, user_id, workspace_id, content, link_secret, expires_at from taken`)}`;
}

/** How a job's `lastError` begins where the mail server refuses this deployment, for any recipient. */
export const REFUSES_US = "refused us, ";

/** What a mail's link is encrypted for. */
export function rowOf(mailId: string): string {
  return `mail ${mailId}`;
}
