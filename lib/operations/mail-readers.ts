import type { Job } from "@/db/jobs";
import { onSql } from "@/db/raw-sql";
import type { Role } from "@/db/schema";
import { encryptionKeys, hashToken, tryDecrypt } from "@/lib/core/crypto";
import { type Mail, rowOf } from "@/lib/mail/queue-mail";
import { groupOf, mailedGroups } from "@/lib/workspaces/alert-kinds";

type MailJob = Job<Mail>;

/**
 * Returns the mails that may still be sent: alerts to members whose role and choice still include them, at the account's confirmed
 * address, and links that still work. What a mail holds may be hours old.
 */
export async function mayStillGo(claimed: readonly MailJob[]): Promise<MailJob[]> {
  const alerts = claimed.filter(({ payload }) => payload.kind === "alert");
  const links = await Promise.all(
    claimed.map(async (job) => (job.payload.kind !== "alert" && (await isLinkOpen(job)) ? [job] : [])),
  );
  return [...(alerts.length > 0 ? await stillReadable(alerts) : []), ...links.flat()];
}

type Reader = { workspaceId: string; role: Role; mailedAlerts: string[] | null };

/** All alerts that are claimed together are of one person. */
async function stillReadable(alerts: readonly MailJob[]): Promise<MailJob[]> {
  const [first] = alerts;
  const readers = await onSql(
    (sql) => sql<Reader[]>`
      select m.workspace_id as "workspaceId", m.role, m.mailed_alerts as "mailedAlerts"
      from members m join users u on u.id = m.user_id
      where u.id = ${first?.userId ?? ""} and u.email = ${first?.payload.address ?? ""} and u.email_confirmed_at is not null`,
    { pool: "records" },
  );
  return alerts.filter(({ workspaceId, payload: { content } }) => {
    // One that 0.6 queued names no workspace: leaving one removed it.
    if (workspaceId === null) return readers.length > 0;
    const reader = readers.find((one) => one.workspaceId === workspaceId);
    const group = content.alert && groupOf(content.alert.kind);
    return reader !== undefined && (group === undefined || mailedGroups(reader).includes(group));
  });
}

async function isLinkOpen({
  id,
  userId,
  workspaceId,
  payload: { kind, address, linkSecret },
}: MailJob): Promise<boolean> {
  const token = linkSecret === null ? undefined : tryDecrypt(linkSecret, rowOf(id), encryptionKeys());
  // What cannot be decrypted is the sender's to report.
  if (token === undefined) return true;
  const [open] = await onSql(
    (sql) =>
      kind === "invitation"
        ? sql`
          select from invitations where workspace_id = ${workspaceId} and token_hash = ${hashToken(token)}
            and accepted_at is null and revoked_at is null and expires_at > now()`
        : kind === "passwordReset"
          ? sql`select from password_resets where user_id = ${userId} and expires_at > now()`
          : sql`select from users where id = ${userId} and email = ${address}`,
    { pool: "records" },
  );
  return open !== undefined;
}
