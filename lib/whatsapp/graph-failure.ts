import type { PlatformError } from "@/lib/core/app-error";
import type { GraphResult } from "./client";
import { failureReason, readGraphError, toPlatformError } from "./errors";
import { asSentence } from "./platform-text";

/**
 * Why an idempotent call failed. `refused`: WhatsApp returned an error, and `reason` is its text.
 * `unreachable`: no response from WhatsApp. `unusable`: the response lacks what the call should return. `own`: it
 * failed on our side.
 */
export type GraphFailure =
  | { outcome: "failed"; kind: "refused"; reason: string; platform: PlatformError }
  | { outcome: "failed"; kind: "unreachable" | "unusable" | "own"; reason: string; platform: null };

/** An `ok` result counts as a failure here: its body was not as expected. */
export function toGraphFailure(result: GraphResult): GraphFailure {
  const error = result.outcome === "ok" ? readGraphError(result.body) : "error" in result ? result.error : undefined;
  if (error) {
    return { outcome: "failed", kind: "refused", reason: failureReason(error), platform: toPlatformError(error) };
  }
  if ("reason" in result) {
    const reason = result.outcome === "not_sent" ? result.reason : `we could not reach WhatsApp: ${result.reason}`;
    return { outcome: "failed", kind: "unreachable", reason, platform: null };
  }
  const reason = `HTTP ${result.httpStatus} without the expected content`;
  return { outcome: "failed", kind: "unusable", reason, platform: null };
}

/** Formats a failure as one sentence, attributing to WhatsApp only its own text. */
export function failureSentence({ kind, reason }: GraphFailure): string {
  switch (kind) {
    case "refused":
      return `WhatsApp said: ${asSentence(reason)}`;
    case "unreachable":
    case "own":
      return asSentence(capitalised(reason));
    case "unusable":
      return `WhatsApp's answer could not be used: ${asSentence(reason)}`;
    default:
      return kind satisfies never;
  }
}

const capitalised = (clause: string): string => clause.replace(/^./u, (letter) => letter.toUpperCase());
