import type { PlatformError } from "@/lib/errors";
import { callGraph, type GraphResult, judgeRefusal, type WhatsappLine } from "./client";
import { failureReason, type Refusal, readGraphError, toPlatformError } from "./errors";
import { SendAnswer } from "./wire";

export type SendOutcome =
  | {
      outcome: "accepted";
      whatsappMessageId: string;
      /** `accepted`, `held_for_quality_assessment`, `paused`, …; templates only. */
      whatsappMessageStatus: string | null;
    }
  /** Nothing was sent, and nothing will be. `platform` is null where the platform was never reached. */
  | (Refusal & { reason: string; platform: PlatformError | null })
  /** It may have been sent: never send it again. */
  | { outcome: "unknown"; reason: string; platform: PlatformError | null };

/** Posts one message, written by `toGraphMessage`, exactly once. Never throws. */
export const postMessage = async (
  line: WhatsappLine,
  body: Record<string, unknown>,
  { timeoutMs }: { timeoutMs: number },
): Promise<SendOutcome> => {
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}/messages`;
  return toSendOutcome(await callGraph(line, { method: "POST", path, json: body, timeoutMs }));
};

const toSendOutcome = (result: GraphResult): SendOutcome => {
  switch (result.outcome) {
    case "ok":
      return readAcceptance(result.httpStatus, result.body);
    case "refused":
      return { ...result.judgement, reason: failureReason(result.error), platform: toPlatformError(result.error) };
    case "not_sent":
      return { ...NOT_SENT, reason: `${result.reason}; no byte of the message left`, platform: null };
    case "unknown":
      return {
        outcome: "unknown",
        reason: result.error ? failureReason(result.error) : result.reason,
        platform: result.error ? toPlatformError(result.error) : null,
      };
    default:
      return result satisfies never;
  }
};

/** A message id is the only proof of acceptance; a 2xx without one may still be an error in disguise. */
const readAcceptance = (httpStatus: number, body: unknown): SendOutcome => {
  const answer = SendAnswer.safeParse(body);
  if (answer.success) {
    const [message] = answer.data.messages;
    return {
      outcome: "accepted",
      whatsappMessageId: message.id,
      whatsappMessageStatus: message.message_status ?? null,
    };
  }
  const error = readGraphError(body);
  if (error) return toSendOutcome(judgeRefusal(httpStatus, error, null));
  return { outcome: "unknown", reason: `HTTP ${httpStatus} without a message id`, platform: null };
};

const NOT_SENT: Refusal = {
  outcome: "refused",
  blame: "platform",
  retryable: true,
  throttled: null,
  template: null,
  isTokenDead: false,
  title: null,
  fix: null,
  retryAfterSeconds: null,
};
