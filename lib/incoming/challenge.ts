import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { isSameSecret } from "@/lib/core/is-same-secret";
import { characterCount } from "@/lib/core/text";
import { noteVerification } from "./note-webhook";

/** The challenge of WhatsApp's verification, to be sent back bare. Throws FORBIDDEN where the token differs. */
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

/** Why a verification fails, for an owner. It says how the given token differs, never what either of them is. */
const refusalOf = (parameters: URLSearchParams, expected: string): string | undefined => {
  const token = parameters.get("hub.verify_token") ?? "";
  if (parameters.get("hub.mode") !== "subscribe" || parameters.get("hub.challenge") === null) {
    return "It was no verification: hub.mode or hub.challenge is missing.";
  }
  if (isSameSecret(token, expected)) return undefined;
  if (token === "") return "It came without a verify token. Paste the one that is shown here.";
  if (isSameSecret(token.trim(), expected)) return "Its verify token has spaces around it. Paste it without them.";
  const length = characterCount(token);
  return `Its verify token is another one (it has ${length} ${length === 1 ? "character" : "characters"}). Paste the one that is shown here.`;
};
