import { createHash, timingSafeEqual } from "node:crypto";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";

/** The challenge of the platform's verification, to be sent back bare. Throws FORBIDDEN where the token differs. */
export const answerChallenge = (parameters: URLSearchParams): string => {
  const token = parameters.get("hub.verify_token") ?? "";
  const challenge = parameters.get("hub.challenge");
  const isMeant = parameters.get("hub.mode") === "subscribe" && challenge !== null;
  if (isMeant && timingSafeEqual(digest(token), digest(env().WHATSAPP_VERIFY_TOKEN))) return challenge;
  throw new AppError(
    "FORBIDDEN",
    "hub.verify_token is not this deployment's WHATSAPP_VERIFY_TOKEN, or hub.mode and hub.challenge are missing.",
  );
};

const digest = (text: string) => createHash("sha256").update(text).digest();
