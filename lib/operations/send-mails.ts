import { claimJobs, type Job, postponeJobs, type Queue, removeJobs } from "@/db/jobs";
import { onSql } from "@/db/raw-sql";
import { gatherAlerts } from "@/lib/alerts/alert-mail";
import { encryptionKeys, tryDecrypt } from "@/lib/core/crypto";
import { DueWork } from "@/lib/core/due-work";
import { env } from "@/lib/core/env";
import { log } from "@/lib/core/log";
import { count } from "@/lib/core/telemetry";
import { composeMail } from "@/lib/mail/compose-mail";
import { type Mail, REFUSES_US, rowOf, sendsMail } from "@/lib/mail/queue-mail";
import { MailFailure, postMail } from "@/lib/mail/smtp";
import { mayStillGo } from "./mail-readers";

/** A person receives one mail with alerts in this time, and those that must not wait; what else arises in it becomes one mail. */
const DIGEST_MINUTES = 10;
/** Minutes before the next attempt, by the number made. A server that greylists wants a few minutes. */
const RETRY_MINUTES = [1, 2, 5, 10, 30, 60];
/** One that refuses us accepts all once its operator has changed something. */
const MOST_MINUTES_REFUSED = 5;

/** A lease is longer than an attempt. */
const LINKS: Queue = { kind: "mail", pool: "records", leaseSeconds: 60 };
const ALERTS: Queue = {
  ...LINKS,
  kind: "alertMail",
  most: 500,
  // What must not wait takes along what waits. A return of what is not yet announced as over can wait: its person knows.
  isReady: (sql) => sql`(job.attempts > 0
    or not exists (
      select from users u where u.id = job.user_id
        and u.alerts_mailed_at between now() - make_interval(mins => ${DIGEST_MINUTES}) and now())
    or job.user_id = any (array(
      select urgent.user_id from jobs urgent
      where urgent.kind = 'alertMail' and urgent.due_at <= clock_timestamp()
        and urgent.payload #>> '{content,isUrgent}' = 'true' and not exists (
          select from jobs over where over.kind = 'alertMail' and over.user_id = urgent.user_id
            and over.payload #>> '{content,alert,event}' = 'closed'
            and over.payload #>> '{content,alert,about}' = urgent.payload #>> '{content,alert,about}'
            and (over.payload #>> '{content,alert,at}')::timestamptz <= (urgent.payload #>> '{content,alert,at}')::timestamptz))))`,
};

const WHAT_IT_IS = "Switchboard is the gateway that your workspace sends its WhatsApp messages with.";

const FOOTERS: Record<Mail["kind"], string> = {
  alert: `${WHAT_IT_IS} Choose what is e-mailed to you on your account page.`,
  invitation:
    "Switchboard is a gateway through which companies send WhatsApp messages. A member of the workspace entered this address.",
  passwordReset: `${WHAT_IT_IS} Someone asked for this mail.`,
  security: `${WHAT_IT_IS} You receive this because the way you sign in to it has changed.`,
  confirmation: `${WHAT_IT_IS} Someone asked for this mail on an account page.`,
};

type MailJob = Job<Mail>;

let areAlertsNext = false;
const queue = new DueWork(
  async () => {
    // In turns, so that neither kind waits for all of the other.
    areAlertsNext = !areAlertsNext;
    const [first, second] = areAlertsNext ? [ALERTS, LINKS] : [LINKS, ALERTS];
    return (await sendNext(first)) || sendNext(second);
  },
  { most: 2, failure: "mail.stopped" },
);

/** Starts sending newly queued mails without waiting for the sweeper. Returns at once. */
export function wakeMailer(): void {
  void sendMails();
}

/** Sends mails until none is due. Never throws. */
export async function sendMails(): Promise<void> {
  if (sendsMail()) await queue.run();
}

/** Sends one mail, of one job or of all alerts of a person. False if none is due, or no other would be accepted now. */
async function sendNext(of: Queue): Promise<boolean> {
  const claimed = await claimJobs<Mail>(of);
  if (claimed.length === 0) return false;
  const mails = await mayStillGo(claimed);
  const dropped = claimed.filter((job) => !mails.includes(job));
  if (dropped.length > 0) {
    await removeJobs(of, dropped);
    count("switchboard_mails_total", { outcome: "dropped", reason: "" }, dropped.length);
  }
  return mails.length === 0 || send(of, mails);
}

async function send(of: Queue, mails: readonly MailJob[]): Promise<boolean> {
  const [first] = mails;
  if (!first) return true;
  const { id, payload, attempts } = first;
  if (of === ALERTS)
    await onSql((sql) => sql`update users set alerts_mailed_at = now() where id = ${first.userId}`, { pool: of.pool });
  const failure = await post(mails, first);
  const outcome = failure ? OUTCOMES[failure.refused] : "sent";
  count("switchboard_mails_total", { outcome, reason: failure?.reason ?? "" });
  // Neither the address nor what the server said, which may quote it.
  if (failure)
    log("warn", "mail.failed", { mailId: id, kind: payload.kind, outcome, reason: failure.reason, step: failure.step });
  if (!failure || outcome === "refused") await removeJobs(of, mails);
  else {
    const minutes = RETRY_MINUTES[Math.min(attempts, RETRY_MINUTES.length) - 1] ?? 1;
    const isUs = failure.refused === "us";
    const waitSeconds = 60 * (isUs ? Math.min(minutes, MOST_MINUTES_REFUSED) : minutes);
    await postponeJobs(of, mails, { waitSeconds, lastError: `${isUs ? REFUSES_US : ""}${failure.message}` });
  }
  return !(failure?.refused === "us" && failure.isForAll);
}

/** `refused` is given up, the others are sent again. */
const OUTCOMES = { recipient: "refused", us: "refused_us", none: "retry" } as const;

async function post(
  mails: readonly MailJob[],
  { id, payload: { kind, address } }: MailJob,
): Promise<MailFailure | undefined> {
  const parts = gatherAlerts(
    mails.flatMap(({ id, payload: { content, linkSecret } }) => {
      const end = linkSecret === null ? "" : tryDecrypt(linkSecret, rowOf(id), encryptionKeys());
      return end === undefined ? [] : [{ ...content, url: `${env().APP_URL}${content.link.path}${end}` }];
    }),
  );
  if (parts.length === 0) return new MailFailure("its link cannot be decrypted", "composing", "recipient");
  try {
    await postMail({ id, address, ...composeMail(parts, FOOTERS[kind]) });
  } catch (error) {
    return error instanceof MailFailure ? error : new MailFailure("unknown");
  }
}
