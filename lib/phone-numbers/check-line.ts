import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { databaseTime } from "@/db/raw-sql";
import { phoneNumbers } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { sentenceCase } from "@/lib/core/text";
import { readWhatsappPhoneNumber, type WhatsappPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import { type Check, failedAtPlatform, passed } from "./check";
import { type AccessFacts, checkAccess, checkSubscription } from "./check-access";
import { callbackUrl } from "./check-webhook";
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
  const occurredAt = await databaseTime();
  const checks: Check[] = [];
  const isTest = stored.mode === "test";

  const access = isTest ? undefined : await collect<AccessFacts>(checks, checkAccess(line));
  const isOver = access !== undefined && (access.tokenProblem !== null || access.isUnreached);
  const number = isOver ? undefined : await checkNumber(checks, line);
  const isSubscribed =
    access && !isOver
      ? await collect(checks, checkSubscription(line, { token: access.token, callbackUrl: callbackUrl() }))
      : undefined;

  await onDatabase((db) =>
    db
      .update(phoneNumbers)
      .set({
        ...(access && tokenColumns(access, { isSubscribed })),
        ...(number && numberColumns(number)),
        ...subscriptionColumns(isSubscribed),
        updatedAt: sql`now()`,
      })
      // A result for an old token must not be stored for one that replaced it during the check.
      .where(sql`${isConnectedLine(workspaceId, id)} and ${phoneNumbers.accessToken} = ${stored.accessToken}`),
  );
  if (number?.status && !isTest) {
    const { whatsappBusinessAccountId: account, displayPhoneNumber } = stored;
    await recordCheckedStatus(workspaceId, { account, number: displayPhoneNumber, status: number.status, occurredAt });
  }
  return checks;
}

const collect = async <Facts>(checks: Check[], steps: AsyncGenerator<Check, Facts>): Promise<Facts> => {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
    checks.push(step.value);
  }
};

const checkNumber = async (
  checks: Check[],
  line: Parameters<typeof readWhatsappPhoneNumber>[0],
): Promise<WhatsappPhoneNumber | undefined> => {
  const answer = await readWhatsappPhoneNumber(line);
  if (answer.outcome === "failed") {
    const words = "The number could not be read";
    checks.push(failedAtPlatform("number", answer, { words, advice: "Check the number in WhatsApp Manager." }));
    return undefined;
  }
  const { number } = answer;
  const { status } = number;
  const advice = "Check the number in WhatsApp Manager.";
  if (status === null || status === "CONNECTED")
    checks.push(passed("number", `The number is connected${qualityWords(number)}`));
  else if (canSend(status)) {
    const words = statusMeaning(status)?.sentence ?? `WhatsApp calls the number “${sentenceCase(status)}”`;
    checks.push({ name: "number", state: "warning", words, advice });
  } else {
    const words = `WhatsApp calls the number “${sentenceCase(status)}”, and it cannot send`;
    checks.push({ name: "number", state: "failed", words, advice });
  }
  return number;
};

const qualityWords = ({ qualityRating }: WhatsappPhoneNumber) =>
  qualityRating ? `, its quality is ${qualityWord(qualityRating)?.toLowerCase()}` : "";

/** The line counts as checked only once every access check got a response. */
const tokenColumns = (
  { token, tokenProblem, isReachable }: AccessFacts,
  { isSubscribed }: { isSubscribed: boolean | undefined },
) => ({
  ...(isReachable || tokenProblem !== null ? { tokenProblem } : {}),
  ...(isReachable && isSubscribed !== undefined ? { tokenCheckedAt: sql`now()` } : {}),
  ...(token?.expiry ? { tokenExpiresAt: token.expiry === "never" ? null : token.expiry.at } : {}),
});

const numberColumns = ({ qualityRating, throughput, messagingLimit, verifiedName }: WhatsappPhoneNumber) => ({
  qualityRating,
  throughput,
  messagingLimit,
  ...(verifiedName === null ? {} : { verifiedName }),
});

const subscriptionColumns = (isSubscribed: boolean | undefined) =>
  isSubscribed === undefined ? {} : { subscribedAt: isSubscribed ? sql`now()` : null };
