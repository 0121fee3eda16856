import { randomInt } from "node:crypto";
import { AppError, invalidAt, refusedByPlatform } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import type { WorkspaceId } from "@/lib/core/principal";
import { exchangeCode } from "@/lib/whatsapp/access-token";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import { failureSentence, type GraphFailure } from "@/lib/whatsapp/errors";
import { readWhatsappPhoneNumber, registerPhoneNumber } from "@/lib/whatsapp/phone-numbers";
import type { Author } from "@/lib/workspaces/record-audit";
import { connectPhoneNumber } from "./connect-phone-number";
import { canSend } from "./notices";

/** What Meta's dialog needs; undefined where the deployment does not offer Embedded Signup. */
export function signUpSettings(): { appId: string; configId: string; graphVersion: string } | undefined {
  const { META_APP_ID: appId, META_CONFIG_ID: configId, WHATSAPP_GRAPH_VERSION: graphVersion } = env();
  return appId && configId ? { appId, configId, graphVersion } : undefined;
}

type SignUp = { code: string; whatsappBusinessAccountId: string; whatsappPhoneNumberId: string };

/**
 * Connects the number that a person chose in Meta's dialog: exchanges the code, then connects the number as with a pasted
 * token, and registers it first if it cannot send yet. Returns the new PIN of a number that was registered here. Throws by
 * field, with the step that failed; nothing is stored then. NOT_FOUND where Embedded Signup is off.
 */
export async function signUpLine(
  workspaceId: WorkspaceId,
  { code, ...claimed }: SignUp,
  by: Author,
): Promise<{ id: string; pin: string | null }> {
  const settings = signUpSettings();
  if (!settings) throw new AppError("NOT_FOUND", "Embedded Signup is not set up on this server.");
  const exchanged = await exchangeCode(settings.appId, code);
  if (exchanged.outcome === "failed") throw failedStep("code", exchanged, "Meta’s code could not be exchanged", AGAIN);
  let pin: string | null = null;
  const { answer: accessToken } = exchanged;
  const { id } = await connectPhoneNumber(workspaceId, { ...claimed, accessToken }, by, async (line, { status }) => {
    if (!isRegistered(status)) pin = await register(line);
  });
  return { id, pin };
}

/** Returns the PIN that was set; null if the number turns out to be registered already, such as by another owner. */
async function register(line: WhatsappLine): Promise<string | null> {
  const pin = String(randomInt(10 ** 6)).padStart(6, "0");
  const registration = await registerPhoneNumber(line, pin);
  if (registration.outcome === "ok") return pin;
  const now = await readWhatsappPhoneNumber(line);
  if (now.outcome === "ok" && isRegistered(now.answer.status)) return null;
  throw failedStep("whatsappPhoneNumberId", registration, "The number could not be registered", REGISTRABLE);
}

/** Only a registered number can send. An unknown status is no proof. */
const isRegistered = (status: string | null): boolean => status !== null && canSend(status);

const AGAIN = "Start again: a code works once, and only for a few minutes.";
const REGISTRABLE =
  "Check the number in WhatsApp Manager: it must be verified, with two-step verification turned off. Then start again.";

function failedStep(field: string, failure: GraphFailure, words: string, advice: string): AppError {
  const message = `${words}. ${failureSentence(failure)} ${advice} Nothing was stored.`;
  return failure.kind === "unreachable"
    ? refusedByPlatform("platform", message, { retryable: true })
    : invalidAt(field, message);
}
