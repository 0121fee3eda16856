import { errorFields, log } from "@/lib/core/log";
import type { WhatsappPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import type { Check } from "./check";
import { checkAccess, checkNumbers, checkSubscription } from "./check-access";
import { callbackUrl } from "./check-webhook";

/** A number to choose from; the rest of its record is read again on connecting. */
export type OfferedNumber = Pick<WhatsappPhoneNumber, "whatsappPhoneNumberId" | "displayPhoneNumber" | "verifiedName">;

/** A line of the stream: a finished check, or at the end the numbers to choose from, empty if a check failed. */
export type AccessCheckLine = { check: Check } | { numbers: OfferedNumber[] };

/** Streams the checks before a line is connected as they finish. Stores nothing and never returns the token. */
export function streamAccessChecks(access: { accessToken: string; whatsappBusinessAccountId: string }): Response {
  const lines = accessCheckLines(access);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
      } catch (error) {
        log("error", "line.check-failed", errorFields(error));
        controller.error(error);
      }
    },
    cancel: async () => {
      await lines.return(undefined);
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson; charset=utf-8" } });
}

async function* accessCheckLines(access: {
  accessToken: string;
  whatsappBusinessAccountId: string;
}): AsyncGenerator<AccessCheckLine, void> {
  const line = { mode: "live", whatsappPhoneNumberId: "", ...access } as const;
  let hasFailed = false;
  const toLine = (check: Check): AccessCheckLine => {
    hasFailed ||= check.state === "failed";
    return { check };
  };
  const facts = yield* each(checkAccess(line), toLine);
  const numbers = facts.isReachable ? yield* each(checkNumbers(line), toLine) : [];
  if (facts.isReachable && numbers.length > 0) {
    yield* each(checkSubscription(line, { token: facts.token, callbackUrl: callbackUrl() }), toLine);
  }
  const offered = numbers.map(({ whatsappPhoneNumberId, displayPhoneNumber, verifiedName }) => ({
    whatsappPhoneNumberId,
    displayPhoneNumber,
    verifiedName,
  }));
  yield { numbers: hasFailed ? [] : offered };
}

async function* each<Facts>(
  checks: AsyncGenerator<Check, Facts>,
  toLine: (check: Check) => AccessCheckLine,
): AsyncGenerator<AccessCheckLine, Facts> {
  for (;;) {
    const step = await checks.next();
    if (step.done) return step.value;
    yield toLine(step.value);
  }
}
