import { createHmac } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { inTransaction, onDatabase } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { users } from "@/db/schema";
import { forbidden } from "@/lib/core/app-error";
import { isSameSecret } from "@/lib/core/crypto";
import { queued } from "@/lib/core/due-work";
import { newId } from "@/lib/core/new-id";
import { queueMails } from "@/lib/mail/queue-mail";
import { cookieSecrets } from "./session-token";

const CONFIRM_MINUTES = 30;

type Person = { userId: string; email: string };

/** E-mails a link that confirms an account's address. */
export async function mailConfirmation({ userId, email }: Person): Promise<void> {
  await inTransaction((tx) =>
    queueMails(rawSql(tx), [
      {
        id: newId("mail"),
        kind: "confirmation",
        address: email,
        userId,
        hours: CONFIRM_MINUTES / 60,
        linkEnd: confirmationToken({ userId, email }, Date.now() + CONFIRM_MINUTES * 60_000),
        content: {
          subject: "Confirm your e-mail address",
          paragraphs: [
            `Confirm that alerts of Switchboard may be sent to this address. The link works for ${CONFIRM_MINUTES} minutes.`,
            "If you have no account there, ignore this mail.",
          ],
          link: { label: "Confirm this address", path: "/confirm-email#" },
        },
      },
    ]),
  );
  queued("mails");
}

/** Returns the link's token. It is stored nowhere: its signature covers account, address and time. */
export function confirmationToken(person: Person, endsAtMs: number, [secret = ""] = cookieSecrets()): string {
  const plain = `${person.userId}.${Math.floor(endsAtMs / 1_000)}`;
  return `${plain}.${signatureOf(plain, person.email, secret)}`;
}

/** Records that an address was confirmed, and returns it. Throws FORBIDDEN if the link is invalid or expired. */
export async function confirmEmail(token: string): Promise<{ email: string }> {
  const [userId = "", endsAt = "", signature = ""] = token.split(".");
  const email = Number(endsAt) * 1_000 > Date.now() ? await emailOf(userId) : undefined;
  const isOurs =
    email !== undefined &&
    cookieSecrets().some((secret) => isSameSecret(signature, signatureOf(`${userId}.${endsAt}`, email, secret)));
  if (!isOurs) throw forbidden("This link no longer works. Ask for a new one on your account page.");
  await noteConfirmedEmail({ userId, email });
  return { email };
}

/** Records that mail to this address reaches the account's person. */
export async function noteConfirmedEmail({ userId, email }: Person): Promise<void> {
  await onDatabase((db) =>
    db
      .update(users)
      .set({ emailConfirmedAt: sql`now()` })
      .where(and(eq(users.id, userId), eq(users.email, email), sql`${users.emailConfirmedAt} is null`)),
  );
}

async function emailOf(userId: string): Promise<string | undefined> {
  const [user] = await onDatabase((db) => db.select({ email: users.email }).from(users).where(eq(users.id, userId)));
  return user?.email;
}

const signatureOf = (plain: string, email: string, secret: string): string =>
  createHmac("sha256", secret).update(`confirm email\0${plain}\0${email}`).digest("base64url");
