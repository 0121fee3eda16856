import { FormData } from "undici";
import type { PlatformError } from "@/lib/core/app-error";
import { callGraph, prepareCall, type TimeLimits, type WhatsappLine } from "./client";
import {
  classifyRefusal,
  failureReason,
  type GraphResult,
  type Refusal,
  readGraphError,
  toPlatformError,
} from "./errors";
import { digitsOf, Named, SendAnswer } from "./wire";

export type SendOutcome =
  | {
      outcome: "accepted";
      whatsappMessageId: string;
      /** `accepted`, `held_for_quality_assessment`, `paused`, …; templates only. */
      whatsappMessageStatus: string | null;
      /** The recipient's number at WhatsApp, which may differ from the one that was sent to. */
      waId: string | null;
    }
  | RefusedSend
  /** It may have been sent: never send it again. `platform` is WhatsApp's error, if it returned one. */
  | { outcome: "unknown"; reason: string; platform: PlatformError | null };

/** Nothing was sent, and nothing will be. `platform` is null if WhatsApp was never reached. */
export type RefusedSend = Refusal & { reason: string; platform: PlatformError | null };

/** A prepared message. Never throws. */
export type PreparedPost = (limits: TimeLimits) => Promise<SendOutcome>;

/** Prepares one message from `toGraphMessage`, to be posted at most once. Throws if it cannot be serialized. */
export function preparePost(line: WhatsappLine, body: Record<string, unknown>): PreparedPost {
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}/messages`;
  const call = prepareCall(line, { method: "POST", path, json: body });
  return async (limits) => {
    const outcome = toSendOutcome(await call(limits));
    return typeof body.recipient === "string" && isUnknownObject(outcome) ? outOfDate(outcome) : outcome;
  };
}

/** 100/33: the object in the call does not exist, or is inaccessible. */
const isUnknownObject = (outcome: SendOutcome): outcome is RefusedSend =>
  outcome.outcome === "refused" && outcome.platform?.code === 100 && outcome.platform.subcode === 33;

/** For a send to a user id it is that id: WhatsApp creates a new one when the user changes the phone number. */
const outOfDate = (outcome: RefusedSend): RefusedSend => ({
  ...outcome,
  blame: "caller",
  retryable: false,
  retryAfterSeconds: null,
  isTokenDead: false,
  title: "The recipient's user id is out of date",
  fix: "WhatsApp no longer knows this user id; the person may have changed the number. Send to the phone number.",
});

/** A send that failed before any byte left. `reason` is a clause without a period, or whole sentences. */
export function notSent(reason: string, retryAfterSeconds = SECONDS_UNTIL_REACHED): RefusedSend {
  return {
    outcome: "refused",
    blame: "platform",
    retryable: true,
    retryAfterSeconds,
    reason,
    platform: null,
    throttled: null,
    template: null,
    isTokenDead: false,
    title: null,
    fix: null,
  };
}

const SECONDS_UNTIL_REACHED = 5;

function toSendOutcome(result: GraphResult): SendOutcome {
  switch (result.outcome) {
    case "ok":
      return readAcceptance(result.httpStatus, result.body);
    case "refused":
      return { ...result.judgement, reason: failureReason(result.error), platform: toPlatformError(result.error) };
    case "not_sent":
      return notSent(result.reason);
    case "unknown":
      return {
        outcome: "unknown",
        reason: result.error ? failureReason(result.error) : result.reason,
        platform: result.error ? toPlatformError(result.error) : null,
      };
  }
}

/** Only a message id proves acceptance; a 2xx without one may be an error. */
function readAcceptance(httpStatus: number, body: unknown): SendOutcome {
  const answer = SendAnswer.safeParse(body);
  if (answer.success) {
    const [message] = answer.data.messages;
    return {
      outcome: "accepted",
      whatsappMessageId: message.id,
      whatsappMessageStatus: message.message_status ?? null,
      waId: digitsOf(answer.data.contacts?.[0].wa_id),
    };
  }
  const error = readGraphError(body);
  if (error) return toSendOutcome(classifyRefusal(httpStatus, error, {}));
  return { outcome: "unknown", reason: `HTTP ${httpStatus} without a message id`, platform: null };
}

export type UploadOutcome = { outcome: "ok"; whatsappMediaId: string } | RefusedSend;

/** Uploads media for this line only; the id is valid for 30 days. Safe to repeat: recipients see nothing. */
export async function uploadMedia(
  line: WhatsappLine,
  { bytes, mimeType, timeoutMs }: { bytes: Uint8Array<ArrayBuffer>; mimeType: string; timeoutMs: number },
): Promise<UploadOutcome> {
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("type", mimeType);
  form.set("file", new Blob([bytes], { type: mimeType }), `media.${mimeType.split("/")[1]}`);
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}/media`;
  const result = await callGraph(line, { method: "POST", path, form, timeoutMs });
  const answer = Named.safeParse(result.outcome === "ok" ? result.body : undefined);
  return answer.success ? { outcome: "ok", whatsappMediaId: answer.data.id } : refusalOf(result);
}

/** Classified like a refused send, except that an unknown outcome is safe to retry for an upload. */
function refusalOf(result: GraphResult): RefusedSend {
  if (result.outcome === "refused") {
    return { ...result.judgement, reason: failureReason(result.error), platform: toPlatformError(result.error) };
  }
  const error = result.outcome === "ok" ? readGraphError(result.body) : "error" in result ? result.error : undefined;
  if (error) return { ...notSent(failureReason(error)), platform: toPlatformError(error) };
  return notSent("reason" in result ? result.reason : `HTTP ${result.httpStatus} without the expected content`);
}
