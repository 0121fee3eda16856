import { claimJobs, type Job, postponeJobs, type Queue, removeJobs } from "@/db/jobs";
import { onSql } from "@/db/raw-sql";
import { encryptionKeys, tryDecrypt } from "@/lib/core/crypto";
import { DueWork } from "@/lib/core/due-work";
import { env } from "@/lib/core/env";
import { log } from "@/lib/core/log";
import { count } from "@/lib/core/telemetry";
import { composeMail } from "./compose-mail";
import { type Mail, rowOf, sendsMail } from "./queue-mail";
import { MailFailure, postMail } from "./smtp";

/** A person receives one mail with alerts in this time; what arises in it becomes one mail. */
const DIGEST_MINUTES = 10;
/** Minutes before the next attempt, by the number made. A server that greylists wants a few minutes. */
const RETRY_MINUTES = [1, 2, 5, 10, 30, 60];

/** A lease is longer than an attempt. */
const LINKS: Queue = { kind: "mail", pool: "records", leaseSeconds: 60 };
const ALERTS: Queue = {
  ...LINKS,
  kind: "alertMail",
  most: 500,
  isReady: (sql) => sql`(job.attempts > 0 or not exists (
    select from users u where u.id = job.user_id
      and u.alerts_mailed_at >= now() - make_interval(mins => ${DIGEST_MINUTES})))`,
};

const FOOTERS: Record<Mail["kind"], string> = {
  alert: "Sent by Switchboard. Choose what is e-mailed to you on your account page.",
  invitation: "Sent by Switchboard, because a member of the workspace entered this address.",
  passwordReset: "Sent by Switchboard, because someone asked for it.",
  confirmation: "Sent by Switchboard, because someone asked for it on an account page.",
};

type MailJob = Job<Mail>;

const queue = new DueWork(async () => (await sendNext(LINKS)) || sendNext(ALERTS), {
  most: 2,
  failure: "mail.stopped",
});

/** Starts sending newly queued mails without waiting for the sweeper. Returns at once. */
export function wakeMailer(): void {
  void sendMails();
}

/** Sends mails until none is due. Never throws. */
export async function sendMails(): Promise<void> {
  if (sendsMail()) await queue.run();
}

/** Sends one mail, of one job or of all alerts of a person. False if none is due. */
async function sendNext(of: Queue): Promise<boolean> {
  const claimed = (await claimJobs<Mail>(of)).toSorted(byUrgency);
  const [first] = claimed;
  if (!first) return false;
  if (of === ALERTS)
    await onSql((sql) => sql`update users set alerts_mailed_at = now() where id = ${first.userId}`, { pool: of.pool });
  const failure = await send(claimed, first);
  count("switchboard_mails_total", { outcome: failure?.outcome ?? "sent" });
  // Neither the address nor what the server said, which may quote it.
  if (failure) log("warn", "mail.failed", { mailId: first.id, kind: first.payload.kind, ...failure });
  if (failure?.outcome !== "retry") await removeJobs(of, claimed);
  else {
    const minutes = RETRY_MINUTES[Math.min(first.attempts, RETRY_MINUTES.length) - 1] ?? 1;
    await postponeJobs(of, claimed, { waitSeconds: minutes * 60, lastError: failure.reason });
  }
  return true;
}

type Failure = { outcome: "refused" | "retry"; reason: string };

async function send(
  claimed: readonly MailJob[],
  { id, payload: { kind, address } }: MailJob,
): Promise<Failure | undefined> {
  const parts = claimed.flatMap(({ id, payload: { content, linkSecret } }) => {
    const end = linkSecret === null ? "" : tryDecrypt(linkSecret, rowOf(id), encryptionKeys());
    return end === undefined ? [] : [{ ...content, url: `${env().APP_URL}${content.link.path}${end}` }];
  });
  if (parts.length === 0) return { outcome: "refused", reason: "its link cannot be decrypted" };
  try {
    await postMail({ id, address, ...composeMail(parts, FOOTERS[kind]) });
  } catch (error) {
    const failure = error instanceof MailFailure ? error : new MailFailure("unknown");
    return { outcome: failure.isPermanent ? "refused" : "retry", reason: failure.reason };
  }
}

function byUrgency(one: MailJob, other: MailJob): number {
  const isUrgent = ({ payload }: MailJob) => Number(payload.content.isUrgent ?? false);
  return isUrgent(other) - isUrgent(one) || (one.id < other.id ? -1 : 1);
}
