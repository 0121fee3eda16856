import type { PlatformError } from "@/lib/errors";
import type { GraphResult } from "./client";
import { failureReason, readGraphError, toPlatformError } from "./errors";

/** Why a call that may be repeated at will did not succeed; `platform` is null where the platform gave no error. */
export type GraphFailure = { outcome: "failed"; reason: string; platform: PlatformError | null };

/** An `ok` result counts as a failure here: its body was not what the call promises. */
export const toGraphFailure = (result: GraphResult): GraphFailure => {
  const error = result.outcome === "ok" ? readGraphError(result.body) : "error" in result ? result.error : undefined;
  if (error) return { outcome: "failed", reason: failureReason(error), platform: toPlatformError(error) };
  const reason = "reason" in result ? result.reason : `HTTP ${result.httpStatus} without the expected content`;
  return { outcome: "failed", reason, platform: null };
};
