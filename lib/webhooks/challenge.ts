import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { isSameSecret } from "@/lib/is-same-secret";

/** The challenge of the platform's verification, to be sent back bare. Throws FORBIDDEN where the token differs. */
export const answerChallenge = (parameters: URLSearchParams): string => {
  const token = parameters.get("hub.verify_token") ?? "";
  const challenge = parameters.get("hub.challenge");
  const isMeant = parameters.get("hub.mode") === "subscribe" && challenge !== null;
  if (isMeant && isSameSecret(token, env().WHATSAPP_VERIFY_TOKEN)) return challenge;
  throw new AppError(
    "FORBIDDEN",
    "hub.verify_token is not this deployment's WHATSAPP_VERIFY_TOKEN, or hub.mode and hub.challenge are missing.",
  );
};
