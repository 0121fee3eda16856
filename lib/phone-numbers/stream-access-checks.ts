import { errorFields, log } from "@/lib/core/log";
import type { WhatsappPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import type { Check, Report } from "./check";
import { checkAccess, checkNumbers, checkSubscription } from "./check-access";

/** A number to choose from; the rest of its record is read again on connecting. */
export type OfferedNumber = Pick<WhatsappPhoneNumber, "whatsappPhoneNumberId" | "displayPhoneNumber" | "verifiedName">;

/** A line of the stream: a finished check, or at the end the numbers to choose from, empty if a check failed. */
export type AccessCheckLine = { check: Check } | { numbers: OfferedNumber[] };

type Access = { accessToken: string; whatsappBusinessAccountId: string };

/** Streams the checks before a line is connected as they finish. Stores nothing and never returns the token. */
export function streamAccessChecks(access: Access): Response {
  const encoder = new TextEncoder();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      // Throws after a cancellation, which ends the checks.
      const send = (line: AccessCheckLine) => controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      try {
        send({ numbers: await checkAll(access, (check) => send({ check })) });
        controller.close();
      } catch (error) {
        if (isCancelled) return;
        log("error", "line.check-failed", errorFields(error));
        controller.error(error);
      }
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson; charset=utf-8" } });
}

async function checkAll(access: Access, report: Report): Promise<OfferedNumber[]> {
  const line = { mode: "live", whatsappPhoneNumberId: "", ...access } as const;
  let hasFailed = false;
  const noted = (check: Check) => {
    hasFailed ||= check.state === "failed";
    report(check);
  };
  const { canAccessAccount, token } = await checkAccess(line, noted);
  const numbers = canAccessAccount ? await checkNumbers(line, noted) : [];
  if (numbers.length > 0) await checkSubscription(line, token, noted);
  if (hasFailed) return [];
  return numbers.map(({ whatsappPhoneNumberId, displayPhoneNumber, verifiedName }) => ({
    whatsappPhoneNumberId,
    displayPhoneNumber,
    verifiedName,
  }));
}
