import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { onDatabase } from "@/db/client";
import { databaseTime } from "@/db/raw-sql";
import { phoneNumbers } from "@/db/schema";
import { failed, passed, warned } from "@/lib/core/finding";
import type { WorkspaceId } from "@/lib/core/principal";
import { sentenceCase } from "@/lib/core/text";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import { readWhatsappPhoneNumber, type WhatsappPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import { type Check, failedAtPlatform, type Report } from "./check";
import { checkAccess, checkSubscription } from "./check-access";
import { canSend, statusMeaning } from "./notices";
import { getConnectedLine, isConnectedLine } from "./queries";
import { recordCheckedStatus } from "./record-number-events";
import { openLine } from "./whatsapp-line";
import { qualityWord } from "./words";

/**
 * Checks a line at WhatsApp and stores the results: whether the token works and until when, the number's health,
 * whether its webhooks come here. Failed checks leave the stored values. For test lines only the number is checked.
 */
export async function checkLine(workspaceId: WorkspaceId, id: string): Promise<Check[]> {
  const stored = await getConnectedLine(workspaceId, id);
  const line = openLine(workspaceId, stored);
  const beganAt = await databaseTime();
  const checks: Check[] = [];
  const report = (check: Check) => void checks.push(check);
  const isTest = stored.mode === "test";

  const access = isTest ? undefined : await checkAccess(line, report);
  const isOver = access !== undefined && (access.tokenProblem !== null || access.isWhatsappUnreachable);
  const number = isOver ? undefined : await checkNumber(line, report);
  const isSubscribed = access && !isOver ? await checkSubscription(line, access.token, report) : undefined;

  await onDatabase((db) =>
    db
      .update(phoneNumbers)
      .set({
        ...(access && tokenColumns(access, { isSubscribed, beganAt })),
        ...(number && numberColumns(number, beganAt)),
        ...(isSubscribed === undefined ? {} : { subscribedAt: isSubscribed ? sql`now()` : subscribedSince(beganAt) }),
        updatedAt: sql`now()`,
      })
      // A result for an old token must not be stored for one that replaced it during the check.
      .where(sql`${isConnectedLine(workspaceId, id)} and ${phoneNumbers.accessToken} = ${stored.accessToken}`),
  );
  if (number?.status && !isTest) {
    const { whatsappBusinessAccountId: account, displayPhoneNumber } = stored;
    const checked = { account, number: displayPhoneNumber, status: number.status, occurredAt: beganAt };
    await recordCheckedStatus(workspaceId, checked);
  }
  return checks;
}

async function checkNumber(line: WhatsappLine, report: Report): Promise<WhatsappPhoneNumber | undefined> {
  const answer = await readWhatsappPhoneNumber(line);
  const advice = "Check the number in WhatsApp Manager.";
  if (answer.outcome === "failed") {
    report(failedAtPlatform("number", answer, "The number could not be read", advice));
    return undefined;
  }
  const { answer: number } = answer;
  const { status } = number;
  if (status === null || status === "CONNECTED") {
    report(passed("number", `The number is connected${qualityWords(number)}`));
    return number;
  }
  const words = `WhatsApp calls the number “${sentenceCase(status)}”`;
  if (canSend(status)) report(warned("number", statusMeaning(status)?.sentence ?? words, advice));
  else report(failed("number", `${words}, and it cannot send`, advice));
  return number;
}

const qualityWords = ({ qualityRating }: WhatsappPhoneNumber) =>
  qualityRating ? `, its quality is ${qualityWord(qualityRating)?.toLowerCase()}` : "";

/**
 * The line counts as checked only once every access check got a response. It counts from the check's beginning: what
 * WhatsApp reports during the check is newer.
 */
const tokenColumns = (
  { token, tokenProblem, canAccessAccount }: Awaited<ReturnType<typeof checkAccess>>,
  { isSubscribed, beganAt }: { isSubscribed: boolean | undefined; beganAt: Date },
) => ({
  ...(canAccessAccount || tokenProblem !== null ? { tokenProblem } : {}),
  ...(canAccessAccount && isSubscribed !== undefined ? { tokenCheckedAt: beganAt } : {}),
  ...(token?.expiry ? { tokenExpiresAt: token.expiry === "never" ? null : token.expiry.at } : {}),
});

const subscribedSince = (beganAt: Date) =>
  sql`case when ${phoneNumbers.subscribedAt} >= ${beganAt.toISOString()} then ${phoneNumbers.subscribedAt} end`;

/** What WhatsApp has reported since the check began is newer than what the check read. WhatsApp's times have seconds. */
function numberColumns(
  { qualityRating, throughput, messagingLimit, verifiedName }: WhatsappPhoneNumber,
  beganAt: Date,
) {
  const unlessReported = (report: SQL, column: PgColumn, read: string | null) => sql`
    case when exists (
      select from account_notices n
      where n.workspace_id = ${phoneNumbers.workspaceId}
        and n.whatsapp_business_account_id = ${phoneNumbers.whatsappBusinessAccountId}
        and n.number in ('', regexp_replace(${phoneNumbers.displayPhoneNumber}, '\\D', '', 'g'))
        and n.occurred_at >= date_trunc('second', ${beganAt.toISOString()}::timestamptz) and ${report}
    ) then ${column} else ${read} end`;
  return {
    qualityRating,
    throughput: unlessReported(sql`n.kind = 'THROUGHPUT_UPGRADE'`, phoneNumbers.throughput, throughput),
    messagingLimit: unlessReported(
      sql`n.detail::json ->> 'limit' is not null`,
      phoneNumbers.messagingLimit,
      messagingLimit,
    ),
    ...(verifiedName === null
      ? {}
      : { verifiedName: unlessReported(sql`n.event = 'NAME_APPROVED'`, phoneNumbers.verifiedName, verifiedName) }),
  };
}
