import { and, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { inTransaction, onDatabase, type Transaction } from "@/db/client";
import { sessions, users } from "@/db/schema";
import { AppError, invalidAt } from "@/lib/core/app-error";
import { encrypt, encryptionKeys, tryDecrypt } from "@/lib/core/crypto";
import type { WorkspaceId } from "@/lib/core/principal";
import { addSession, endSessionsOf, type OpenedSession, replaceSession } from "@/lib/sessions/change-sessions";
import type { Visitor } from "@/lib/sessions/device";
import { type Author, audited, byUser } from "@/lib/workspaces/record-audit";
import { lockAccount, lockResettable, recordEverywhere } from "./lock-account";
import { queueSecurityNotice } from "./queue-security-notice";
import { newFactorSecret, newRecoveryCodes, readCode, stepOf } from "./second-factor";

/** A person in a session of theirs, and the request that acts. */
type Acting = { userId: string; sessionId: string; visitor: Visitor; requestId: string };

/** What an encrypted secret is bound to. */
export function factorRow(userId: string): string {
  return `second factor ${userId}`;
}

/** A new secret, and the same sealed for this account: the form of the set-up holds it until a code proves that an app has it. */
export function newSealedSecret(userId: string): { secret: string; sealed: string } {
  const secret = newFactorSecret();
  return { secret, sealed: encrypt(secret, factorRow(userId), encryptionKeys()) };
}

type SetUp = { sealed: string; code: string; checkedHash: string | null };

/**
 * Turns the second factor on once a code of it is given, ends every other session, and returns the recovery codes. The acting
 * session keeps its id: with a new cookie Next reads the page again, and the codes would be gone before they are seen.
 * `checkedHash` is the hash that the password was checked against. Throws VALIDATION_ERROR for a wrong code, UNAUTHORIZED if
 * session, password or factor has changed.
 */
export function turnOnFactor(
  { userId, sessionId, requestId }: Acting,
  { sealed, code, checkedHash }: SetUp,
): Promise<string[]> {
  const secret = tryDecrypt(sealed, factorRow(userId), encryptionKeys());
  if (secret === undefined) throw invalidAt("code", "This page is out of date. Reload it and scan the new QR code.");
  const given = readCode(code);
  const step = given?.kind === "app" ? stepOf(secret, given.digits, new Date()) : undefined;
  if (step === undefined) throw invalidAt("code", "Wrong code. Check that the clock of your phone is right.");
  return inTransaction(async (tx) => {
    const { codes, hashes } = newRecoveryCodes();
    const [changed] = await tx
      .update(users)
      .set({ factorSecret: sealed, factorStep: step, recoveryHashes: hashes })
      .where(
        and(
          eq(users.id, userId),
          isNull(users.factorSecret),
          sql`${users.passwordHash} is not distinct from ${checkedHash}`,
        ),
      )
      .returning({ email: users.email });
    if (!changed)
      throw new AppError("UNAUTHORIZED", "Your password or second factor was changed elsewhere: sign in again.");
    await endSessionsOf(tx, userId, sessionId);
    const isOpen = and(eq(sessions.id, sessionId), gt(sessions.expiresAt, sql`now()`));
    const [own] = await tx.select({ id: sessions.id }).from(sessions).where(isOpen).for("share");
    if (!own) throw new AppError("UNAUTHORIZED", "This session has ended: sign in again.");
    const change = { before: null, after: { email: changed.email } };
    await recordEverywhere(tx, { userId, by: byUser(userId, requestId) }, "member.factorAdded", change);
    await queueSecurityNotice(tx, userId, "factorAdded");
    return codes;
  });
}

/** Turns the factor off with a code of it, and ends every other session; undefined for a wrong code. */
export function turnOffFactor(acting: Acting, code: string): Promise<OpenedSession | undefined> {
  const { userId, requestId } = acting;
  return inTransaction(async (tx) => {
    if (!(await spendCode(tx, userId, code))) return undefined;
    const email = await clearFactor(tx, userId);
    const change = { before: { email }, after: { secondFactor: false } };
    await recordEverywhere(tx, { userId, by: byUser(userId, requestId) }, "member.factorRemoved", change);
    return replaceSession(tx, acting);
  });
}

/** Replaces the recovery codes, with a code of the factor; undefined for a wrong one. */
export function replaceRecoveryCodes({ userId, requestId }: Acting, code: string): Promise<string[] | undefined> {
  return inTransaction(async (tx) => {
    if (!(await spendCode(tx, userId, code))) return undefined;
    const { codes, hashes } = newRecoveryCodes();
    await tx.update(users).set({ recoveryHashes: hashes }).where(eq(users.id, userId));
    const change = { before: null, after: { recoveryCodes: codes.length } };
    await recordEverywhere(tx, { userId, by: byUser(userId, requestId) }, "member.recoveryCodesReplaced", change);
    await queueSecurityNotice(tx, userId, "recoveryCodesReplaced");
    return codes;
  });
}

/**
 * Removes the factor of a member who has lost its device, and ends their sessions. For owners, as a password reset is: not for
 * oneself, nor for an account that another workspace trusts. Throws FORBIDDEN, or NOT_FOUND.
 */
export function removeFactor(workspaceId: WorkspaceId, userId: string, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const { email } = await lockResettable(tx, workspaceId, { userId, by, purpose: "remove its second factor" });
    if ((await clearFactor(tx, userId)) === undefined) throw noFactor(email);
    await endSessionsOf(tx, userId);
    await record("member.factorRemoved", userId, { before: { email }, after: { secondFactor: false } });
  });
}

/** The same for any account, for the operator. */
export function removeFactorOf(email: string, by: Author): Promise<{ name: string; email: string }> {
  return inTransaction(async (tx) => {
    const account = await lockAccount(tx, eq(users.email, email.trim().toLowerCase()));
    if (!account) throw new AppError("NOT_FOUND", `There is no account with the address ${email}.`);
    if ((await clearFactor(tx, account.id)) === undefined) throw noFactor(account.email);
    await endSessionsOf(tx, account.id);
    const change = { before: { email: account.email }, after: { secondFactor: false } };
    await recordEverywhere(tx, { userId: account.id, by }, "member.factorRemoved", change);
    return account;
  });
}

const noFactor = (email: string) => new AppError("FORBIDDEN", `${email} has no second factor.`);

/** Returns the account's address; undefined if it had no factor. */
async function clearFactor(tx: Transaction, userId: string): Promise<string | undefined> {
  const [cleared] = await tx
    .update(users)
    .set({ factorSecret: null, factorStep: 0, recoveryHashes: [] })
    .where(and(eq(users.id, userId), sql`${users.factorSecret} is not null`))
    .returning({ email: users.email });
  if (cleared) await queueSecurityNotice(tx, userId, "factorRemoved");
  return cleared?.email;
}

/** Who signs in with this session, whose password was right, and whose code is due. */
export async function findCodeDue(
  sessionId: string | undefined,
): Promise<{ userId: string; email: string } | undefined> {
  return sessionId === undefined ? undefined : onDatabase((db) => readCodeDue(db, sessionId));
}

async function readCodeDue(db: Pick<Transaction, "select">, sessionId: string) {
  const [person] = await db
    .select({ userId: sessions.userId, email: users.email })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, sessionId), gt(sessions.codeUntil, sql`now()`)));
  return person;
}

/**
 * Opens the session for which a right code was due, and returns its id: a new one. Null for a wrong code, or one that was used.
 * The account is locked before its session, as where a password is changed.
 */
export function passFactor(
  dueSessionId: string,
  code: string,
  { visitor, requestId }: Pick<Acting, "visitor" | "requestId">,
): Promise<string | null> {
  return inTransaction(async (tx) => {
    const person = await readCodeDue(tx, dueSessionId);
    if (!person || !(await spendCode(tx, person.userId, code))) return null;
    const { userId, email } = person;
    const [due] = await tx.delete(sessions).where(eq(sessions.id, dueSessionId)).returning({ id: sessions.id });
    const opened = due && (await addSession(tx, { userId, visitor, hasFactor: true }));
    if (!opened) throw signInOver();
    if (readCode(code)?.kind === "recovery") {
      const change = { before: null, after: { email } };
      await recordEverywhere(tx, { userId, by: byUser(userId, requestId) }, "member.recoveryCodeUsed", change);
      await queueSecurityNotice(tx, userId, "recoveryCodeUsed");
    }
    return opened.id;
  });
}

export const WRONG_CODE =
  "This code is wrong, or was used before. Type the newest one of your app, or a recovery code.";

export function signInOver() {
  return new AppError("UNAUTHORIZED", "This sign-in took too long. Start again with your password.");
}

/** Uses a code up: of concurrent uses one succeeds. */
async function spendCode(tx: Transaction, userId: string, text: string): Promise<boolean> {
  const given = readCode(text);
  if (!given) return false;
  if (given.kind === "recovery") {
    const spent = await tx
      .update(users)
      .set({ recoveryHashes: sql`array_remove(${users.recoveryHashes}, ${given.hash}::text)` })
      .where(and(eq(users.id, userId), sql`${given.hash}::text = any (${users.recoveryHashes})`))
      .returning({ id: users.id });
    return spent.length > 0;
  }
  const [user] = await tx.select({ sealed: users.factorSecret }).from(users).where(eq(users.id, userId));
  const secret = user?.sealed && tryDecrypt(user.sealed, factorRow(userId), encryptionKeys());
  const step = secret ? stepOf(secret, given.digits, new Date()) : undefined;
  if (!user?.sealed || step === undefined) return false;
  const spent = await tx
    .update(users)
    .set({ factorStep: step })
    .where(and(eq(users.id, userId), eq(users.factorSecret, user.sealed), lt(users.factorStep, step)))
    .returning({ id: users.id });
  return spent.length > 0;
}
