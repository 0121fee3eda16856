import { createHash } from "node:crypto";
import { canonicalJson } from "@/lib/core/canonical-json";
import type { SendRequest } from "./send-request";

/**
 * SHA-256 of a validated request. Two requests that differ only in the order of plain keys are the same; the order of
 * arrays is meaning, and a carousel's named values are pairs by now for that very reason.
 */
export function fingerprintOf(request: SendRequest): Uint8Array {
  return createHash("sha256")
    .update(canonicalJson(comparable(request)))
    .digest();
}

// What the caller wrote is compared, not what we read from it: the same payload spelled otherwise is another body.
const comparable = ({ content, ...request }: SendRequest) => ({
  ...request,
  content: content.type === "interactive" ? { type: content.type, source: content.source } : content,
});
