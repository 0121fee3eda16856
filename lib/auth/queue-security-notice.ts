import type { Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { newId } from "@/lib/core/new-id";
import { queueMails } from "@/lib/mail/queue-mail";

/** After this it is no news. */
const NOTICE_HOURS = 72;

const NOTICES = {
  passwordChanged: {
    subject: "Your password was changed",
    text: "The password of your Switchboard account was changed. Other sessions were signed out.",
  },
  factorAdded: {
    subject: "A second factor was set up",
    text: "A second factor was set up for your Switchboard account: its codes are asked for at each sign-in.",
  },
  factorRemoved: {
    subject: "Your second factor was removed",
    text: "The second factor of your Switchboard account was removed. No code is asked for at a sign-in any more.",
  },
  recoveryCodesReplaced: {
    subject: "Your recovery codes were replaced",
    text: "New recovery codes were created for your Switchboard account. The former ones no longer work.",
  },
  recoveryCodeUsed: {
    subject: "A recovery code was used",
    text: "Your Switchboard account was signed in to with a recovery code in place of a code of your app.",
  },
};

const IF_UNEXPECTED =
  "If you did not expect this, change your password, sign out your other sessions, and contact an owner of your workspace.";

/**
 * Queues a mail to an account's person about a change of how they sign in, in its transaction; none to an address that they have
 * not confirmed. It is sent by the next pass of the sweeper.
 */
export async function queueSecurityNotice(
  tx: Transaction,
  userId: string,
  change: keyof typeof NOTICES,
): Promise<void> {
  const sql = rawSql(tx);
  const [person] = await sql<{ email: string }[]>`
    select email from users where id = ${userId} and email_confirmed_at is not null`;
  if (!person) return;
  const { subject, text } = NOTICES[change];
  await queueMails(sql, [
    {
      id: newId("mail"),
      kind: "security",
      address: person.email,
      userId,
      hours: NOTICE_HOURS,
      content: {
        subject,
        paragraphs: [text, IF_UNEXPECTED],
        link: { label: "See your account", path: "/dashboard/account" },
      },
    },
  ]);
}
