import { and, eq, gt, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { passwordResets, users } from "@/db/schema";
import { AppError, forbidden } from "@/lib/core/app-error";
import { hashToken, newToken } from "@/lib/core/crypto";
import { queued } from "@/lib/core/due-work";
import { newId } from "@/lib/core/new-id";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { type QueuedMail, queueMails, sendsMail } from "@/lib/mail/queue-mail";
import { addSession, endSessionsOf, type OpenedSession } from "@/lib/sessions/change-sessions";
import type { Visitor } from "@/lib/sessions/device";
import { lockMembership } from "@/lib/workspaces/queries";
import { type Author, audited, byUser, command } from "@/lib/workspaces/record-audit";
import { resetFault } from "@/lib/workspaces/roles";
import { RESET_MINUTES } from "./credential-limits";
import { type Account, isMemberElsewhere, lockAccount, lockResettable, recordEverywhere } from "./lock-account";
import { queueSecurityNotice } from "./queue-security-notice";

/** The token exists only in the link, and is returned once. A mailed link is shown to no one else. */
type ResetLink = { token: string; email: string; name: string; isMailed: boolean; expiresAt: Date };

/**
 * Creates a password reset link for a member and invalidates the previous one. Throws FORBIDDEN unless called by
 * an owner; also for oneself, and for an account that is in another workspace. NOT_FOUND if there is no such member.
 */
export async function makeResetLink(workspaceId: WorkspaceId, userId: string, by: Author): Promise<ResetLink> {
  const made = await audited(workspaceId, by, async (tx, record) => {
    const account = await lockResettable(tx, workspaceId, { userId, by, purpose: "reset its password" });
    const link = await addLink(tx, account, { workspaceId, madeBy: by.actor.id });
    await record("member.resetLinkCreated", userId, changeWith(link));
    return link;
  });
  queued("mails");
  return made;
}

/**
 * E-mails a reset link to an account's own address. Does nothing for an unknown address; the caller returns before this is
 * done, so that neither its answer nor its time tells which addresses have an account.
 */
export async function mailResetLink(email: string): Promise<void> {
  if (!sendsMail()) return;
  await makeLinkFor(email, command("sign-in page"));
  queued("mails");
}

/** Creates a reset link for any account, for the operator. Throws NOT_FOUND if there is no such account. */
export async function makeOperatorsResetLink(email: string, by: Author): Promise<ResetLink> {
  const link = await makeLinkFor(email, by, { isShown: true });
  if (!link) throw new AppError("NOT_FOUND", `There is no account with the address ${email}.`);
  return link;
}

/** Undefined if no account has the address. Each of its workspaces logs the link. */
const makeLinkFor = (email: string, by: Author, options?: { isShown: boolean }): Promise<ResetLink | undefined> =>
  inTransaction(async (tx) => {
    const account = await lockAccount(tx, eq(users.email, email.trim().toLowerCase()));
    if (!account) return undefined;
    const link = await addLink(tx, account, { workspaceId: null, madeBy: null, ...options });
    await recordEverywhere(tx, { userId: account.id, by }, "member.resetLinkCreated", changeWith(link));
    return link;
  });

async function addLink(
  tx: Transaction,
  { id: userId, email, name }: Account,
  { isShown = !sendsMail(), ...maker }: { workspaceId: string | null; madeBy: string | null; isShown?: boolean },
): Promise<ResetLink> {
  const token = newToken();
  const values = {
    tokenHash: hashToken(token),
    ...maker,
    isMailed: !isShown,
    createdAt: sql`now()`,
    expiresAt: sql`now() + make_interval(mins => ${RESET_MINUTES}::int)`,
  };
  const [made] = await tx
    .insert(passwordResets)
    .values({ userId, ...values })
    .onConflictDoUpdate({ target: passwordResets.userId, set: values })
    .returning({ expiresAt: passwordResets.expiresAt });
  if (!made) throw new Error("an upsert returns its row");
  if (!isShown) await queueMails(rawSql(tx), [resetMail({ userId, email, token })]);
  return { token, email, name, isMailed: !isShown, ...made };
}

const resetMail = ({ userId, email, token }: { userId: string; email: string; token: string }): QueuedMail => ({
  id: newId("mail"),
  kind: "passwordReset",
  address: email,
  userId,
  hours: RESET_MINUTES / 60,
  linkEnd: token,
  content: {
    subject: "Set a new password",
    paragraphs: [
      `Set a new password for your Switchboard account. The link works once, within ${RESET_MINUTES} minutes.`,
      "If you did not ask for this, ignore this mail. Your password stays as it is.",
    ],
    link: { label: "Set a new password", path: resetAddress("", "") },
  },
});

const changeWith = ({ email, expiresAt }: ResetLink) => ({ before: null, after: { email, expiresAt } });

/** The token is in the fragment, so that it reaches no server log or Referer; the page posts it. */
export function resetAddress(appUrl: string, token: string): string {
  return `${appUrl}/reset-password#${token}`;
}

export function resetLinkInvalid() {
  return forbidden(`This link no longer works. A link works once, within ${RESET_MINUTES} minutes. Ask for a new one.`);
}

type NewPassword = { token: string; passwordHash: string; visitor: Visitor; requestId: string };

/**
 * Sets a new password with a one-time link; of concurrent uses one succeeds. Ends all sessions of the
 * account and returns a new one, for which the code of a second factor is due. Throws FORBIDDEN if the link is invalid or expired.
 */
export function resetPassword({
  token,
  passwordHash,
  visitor,
  requestId,
}: NewPassword): Promise<{ opened: OpenedSession; email: string }> {
  return inTransaction(async (tx) => {
    const isThis = and(eq(passwordResets.tokenHash, hashToken(token)), gt(passwordResets.expiresAt, sql`now()`));
    const [found] = await tx.select().from(passwordResets).where(isThis);
    if (!found) throw resetLinkInvalid();
    const { userId } = found;
    await checkLinkCreator(tx, found);
    const account = await lockAccount(tx, eq(users.id, userId));
    if (found.workspaceId !== null && (await isMemberElsewhere(tx, userId, found.workspaceId))) {
      throw resetLinkInvalid();
    }
    const [spent] = await tx.delete(passwordResets).where(isThis).returning({ userId: passwordResets.userId });
    if (!account || !spent) throw resetLinkInvalid();
    const confirmed = found.isMailed ? { emailConfirmedAt: sql`now()` } : {};
    await tx
      .update(users)
      .set({ passwordHash, ...confirmed })
      .where(eq(users.id, userId));
    await endSessionsOf(tx, userId);
    const opened = await addSession(tx, { userId, visitor });
    if (!opened) throw new Error("the account is locked, so it has a session");
    const change = { before: null, after: { email: account.email, linkMadeBy: found.madeBy ?? "operator" } };
    await recordEverywhere(tx, { userId, by: byUser(userId, requestId) }, "member.passwordReset", change);
    await queueSecurityNotice(tx, userId, "passwordChanged");
    return { opened, email: account.email };
  });
}

/** Checks that the link's creator is still allowed to reset this password. */
async function checkLinkCreator(
  tx: Transaction,
  { workspaceId, madeBy, userId }: typeof passwordResets.$inferSelect,
): Promise<void> {
  if (workspaceId === null || madeBy === null) return;
  const people = { actingId: madeBy, targetId: userId };
  const membership = await lockMembership(tx, provenWorkspaceId(workspaceId), people).catch((error: unknown) => {
    throw error instanceof AppError ? resetLinkInvalid() : error;
  });
  if (resetFault(membership)) throw resetLinkInvalid();
}
