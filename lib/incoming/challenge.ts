import { AppError } from "@/lib/core/app-error";
import { isSameSecret } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import { characterCount } from "@/lib/core/text";
import { noteVerification } from "./note-webhook";

/** Returns the challenge of WhatsApp's verification, to echo as plain text. Throws FORBIDDEN if the token differs. */
export function answerChallenge(parameters: URLSearchParams): string {
  const challenge = parameters.get("hub.challenge");
  const refusal = refusalOf(parameters, env().WHATSAPP_VERIFY_TOKEN);
  noteVerification(challenge, refusal);
  if (refusal === undefined && challenge !== null) return challenge;
  throw new AppError(
    "FORBIDDEN",
    "hub.verify_token is not this deployment's WHATSAPP_VERIFY_TOKEN, or hub.mode and hub.challenge are missing.",
  );
}

/** Returns why a verification fails, for an owner: how the token differs, without revealing either one. */
const refusalOf = (parameters: URLSearchParams, expected: string): string | undefined => {
  const token = parameters.get("hub.verify_token") ?? "";
  if (parameters.get("hub.mode") !== "subscribe" || parameters.get("hub.challenge") === null) {
    return "Not a verification request: hub.mode or hub.challenge is missing.";
  }
  if (isSameSecret(token, expected)) return undefined;
  if (token === "") return "The verify token is missing. Paste the one shown here.";
  if (isSameSecret(token.trim(), expected)) return "Its verify token has spaces around it. Paste it without them.";
  const length = characterCount(token);
  return `Its verify token is different (it has ${length} ${length === 1 ? "character" : "characters"}). Paste the one that is shown here.`;
};
