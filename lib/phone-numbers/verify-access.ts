import { invalid } from "@/lib/core/app-error";
import type { TokenFacts } from "@/lib/whatsapp/access-token";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { WhatsappPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import { type Check, checkFailure } from "./check";
import { type AccessFacts, checkAccess, checkNumbers, checkSubscription } from "./check-access";
import { callbackUrl } from "./check-webhook";

export type VerifiedAccess = { number: WhatsappPhoneNumber; token: TokenFacts | null; isSubscribed: boolean };

/** The same checks as a person sees one by one, for what is about to be stored. Throws the first that failed, by field. */
export async function verifyAccess(line: WhatsappLine): Promise<VerifiedAccess> {
  const access = await untilFailure<AccessFacts>(checkAccess(line));
  const numbers = await untilFailure<WhatsappPhoneNumber[]>(checkNumbers(line));
  const number = numbers.find(({ whatsappPhoneNumberId }) => whatsappPhoneNumberId === line.whatsappPhoneNumberId);
  if (!number) {
    const message = "This number is not one of the business account. Check again and pick one of the list.";
    throw invalid([{ path: "whatsappPhoneNumberId", message }]);
  }
  const isSubscribed = await untilFailure(checkSubscription(line, { token: access.token, callbackUrl: callbackUrl() }));
  return { number, token: access.token, isSubscribed: isSubscribed === true };
}

const FIELDS: Partial<Record<Check["name"], string>> = {
  account: "whatsappBusinessAccountId",
  numbers: "whatsappBusinessAccountId",
};

const untilFailure = async <Facts>(checks: AsyncGenerator<Check, Facts>): Promise<Facts> => {
  for (;;) {
    const step = await checks.next();
    if (step.done) return step.value;
    if (step.value.state !== "failed") continue;
    throw checkFailure(step.value, FIELDS[step.value.name] ?? "accessToken");
  }
};
