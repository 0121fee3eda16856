import { inTransaction } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";
import type { Mail } from "@/db/schema";
import { encryptionKeys, tryDecrypt } from "@/lib/core/crypto";
import { DueWork } from "@/lib/core/due-work";
import { env } from "@/lib/core/env";
import { log } from "@/lib/core/log";
import { count } from "@/lib/core/telemetry";
import { composeMail } from "./compose-mail";
import { rowOf, sendsMail } from "./queue-mail";
import { MailFailure, postMail } from "./smtp";

/** Longer than an attempt: a process that died during one leaves its mail to others after this. */
const LEASE_SECONDS = 60;
/** A person receives one mail with alerts in this time; what arises in it becomes one mail. */
const DIGEST_MINUTES = 10;
/** Minutes before the next attempt, by the number made. A server that greylists wants a few minutes. */
const RETRY_MINUTES = [1, 2, 5, 10, 30, 60];

const FOOTERS: Record<Mail["kind"], string> = {
  alert: "Sent by Switchboard. Choose what is e-mailed to you on your account page.",
  invitation: "Sent by Switchboard, because a member of the workspace entered this address.",
  passwordReset: "Sent by Switchboard, because someone asked for it.",
  confirmation: "Sent by Switchboard, because someone asked for it on an account page.",
};

type Claimed = Pick<Mail, "id" | "kind" | "address" | "content" | "linkSecret" | "attempts">;

const queue = new DueWork(sendNext, { most: 2, failure: "mail.stopped" });

/** Starts sending newly queued mails without waiting for the sweeper. Returns at once. */
export function wakeMailer(): void {
  void sendMails();
}

/** Sends mails until none is due. Never throws. */
export async function sendMails(): Promise<void> {
  if (sendsMail()) await queue.run();
}

async function sendNext(): Promise<boolean> {
  const claimed = await claimMails();
  const [first] = claimed;
  if (!first) return false;
  const outcome = await send(claimed, first);
  count("switchboard_mails_total", { outcome });
  if (outcome === "retry") await postpone(claimed, first.attempts);
  else await remove(claimed);
  return true;
}

async function send(claimed: readonly Claimed[], { id, kind, address }: Claimed) {
  const failed = (outcome: "refused" | "retry", reason: string) => {
    // Neither the address nor what the server said, which may quote it.
    log("warn", "mail.failed", { mailId: id, kind, outcome, reason });
    return outcome;
  };
  const parts = claimed.flatMap(({ content, ...mail }) => {
    const end = mail.linkSecret === null ? "" : tryDecrypt(mail.linkSecret, rowOf(mail.id), encryptionKeys());
    return end === undefined ? [] : [{ ...content, url: `${env().APP_URL}${content.link.path}${end}` }];
  });
  if (parts.length === 0) return failed("refused", "its link cannot be decrypted");
  try {
    await postMail({ id, address, ...composeMail(parts, FOOTERS[kind]) });
    return "sent";
  } catch (error) {
    const failure = error instanceof MailFailure ? error : new MailFailure("unknown");
    return failed(failure.isPermanent ? "refused" : "retry", failure.reason);
  }
}

/** Claims the next mail; where it holds alerts, with all others of its person. One claim at a time: two could deadlock on these. */
const claimMails = () =>
  inTransaction(
    async (tx) => {
      const sql = rawSql(tx);
      await sql`select pg_advisory_xact_lock(hashtextextended('mails', 0))`;
      const rows = await sql<Claimed[]>`
      with next as (
        select m.id, m.kind, m.user_id, m.attempts from mails m left join users u on u.id = m.user_id
        where m.next_attempt_at <= now() and m.expires_at > now() and (m.kind <> 'alert' or m.attempts > 0
          or coalesce(u.alerts_mailed_at, '-infinity') < now() - make_interval(mins => ${DIGEST_MINUTES}))
        order by m.next_attempt_at, m.id limit 1 for update of m skip locked
      ), held as (
        update users u set alerts_mailed_at = now() from next
        where u.id = next.user_id and next.kind = 'alert' and (next.attempts > 0
          or coalesce(u.alerts_mailed_at, '-infinity') < now() - make_interval(mins => ${DIGEST_MINUTES}))
        returning u.id
      ), mine as (
        select m.id from mails m join next on m.id = next.id
        where next.kind <> 'alert' or exists (select from held)
        union
        select m.id from mails m join held on m.user_id = held.id and m.kind = 'alert'
        where m.next_attempt_at <= now() and m.expires_at > now()
      )
      update mails m set attempts = m.attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS})
      from mine where m.id = mine.id
      returning m.id, m.kind, m.address, m.content, m.link_secret as "linkSecret", m.attempts`;
      return rows.toSorted(byUrgency);
    },
    { pool: "records" },
  );

const byUrgency = (one: Claimed, other: Claimed): number =>
  Number(other.content.isUrgent ?? false) - Number(one.content.isUrgent ?? false) || (one.id < other.id ? -1 : 1);

const idsOf = (mails: readonly Claimed[]): string => JSON.stringify(mails.map(({ id }) => id));

const remove = (mails: readonly Claimed[]) =>
  onSql((sql) => sql`delete from mails where id in (select json_array_elements_text(${idsOf(mails)}::text::json))`, {
    pool: "records",
  });

function postpone(mails: readonly Claimed[], made: number) {
  const minutes = RETRY_MINUTES[Math.min(made, RETRY_MINUTES.length) - 1] ?? 1;
  return onSql(
    (sql) => sql`
      update mails set next_attempt_at = now() + make_interval(mins => ${minutes}::int)
      where id in (select json_array_elements_text(${idsOf(mails)}::text::json))`,
    { pool: "records" },
  );
}
